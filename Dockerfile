# docker build -t spindle . && docker run --rm -i spindle parse - < text.txt
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source

FROM python:3.12-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl && rm -rf /wheels && useradd --create-home spindle
USER spindle
WORKDIR /home/spindle
ENTRYPOINT ["spindle"]
CMD ["--help"]
