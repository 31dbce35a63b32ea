#include "search/index_writer.hpp"

#include <algorithm>
#include <limits>

#include "trees/root.hpp"

namespace spindle {

IndexWriter::IndexWriter() {
    std::string header(kIndexMagic);
    put_fixed(header, kIndexVersion, 8);
    put(header);
}

void IndexWriter::put(std::string_view bytes) {
    buffer_ += bytes;
    written_ += bytes.size();
    while (!bytes.empty()) {
        const std::size_t size = std::min(bytes.size(), kIndexBlock - block_.size());
        block_ += bytes.substr(0, size);
        bytes.remove_prefix(size);
        if (block_.size() < kIndexBlock) continue;
        checksums_.push_back(checksum(reinterpret_cast<const std::uint8_t*>(block_.data()), block_.size()));
        block_.clear();
    }
}

std::string IndexWriter::take() {
    std::string taken;
    taken.swap(buffer_);
    return taken;
}

void IndexWriter::put_column(std::string& record, const std::vector<int>& column, int offset) const {
    for (const int number : column) put_number(record, static_cast<std::uint32_t>(number + offset));
}

void IndexWriter::note(IndexField field, int symbol) {
    auto& [places, lists] = fields_[static_cast<std::size_t>(field)];
    const auto number = static_cast<std::size_t>(symbol);
    if (number >= places.size()) places.resize(number + 1);
    if (!places[number]) {
        lists.push_back({static_cast<std::uint32_t>(number)});
        places[number] = static_cast<std::uint32_t>(lists.size());
    }
    List& list = lists[places[number] - 1];
    const auto tree = static_cast<std::uint32_t>(offsets_.size() - 1);
    if (list.next == tree + 1) return;
    put_number(list.bytes, tree - list.next);
    list.next = tree + 1;
}

void IndexWriter::note_all(IndexField field, const std::vector<int>& column) {
    for (const int symbol : column) note(field, symbol);
}

bool IndexWriter::has_gap(const SearchTree& tree) {
    if (tree.is_dtree) {
        VertexNeeds needs;
        needs.gaps = true;
        vertices_.assign(tree, needs);
        return std::any_of(vertices_.gaps.begin(), vertices_.gaps.begin() + vertices_.size(),
                           [](int gaps) { return gaps > 0; });
    }
    const std::size_t nodes = tree.labels.size();
    first_.assign(nodes, std::numeric_limits<int>::max());
    last_.assign(nodes, -1);
    count_.assign(nodes, 0);
    const auto extend = [&](int node, int first, int last, int count) {
        if (node == kRoot) return;
        first_[node] = std::min(first_[node], first);
        last_[node] = std::max(last_[node], last);
        count_[node] += count;
    };
    for (std::size_t word = 0; word < tree.forms.size(); ++word)
        extend(tree.leaf_parents[word], static_cast<int>(word), static_cast<int>(word), 1);
    for (std::size_t node = nodes; node-- > 0;) {
        if (last_[node] - first_[node] + 1 != count_[node]) return true;
        extend(tree.parents[node], first_[node], last_[node], count_[node]);
    }
    return false;
}

void IndexWriter::add(const SearchTree& tree, std::string_view details) {
    if (offsets_.size() >= std::numeric_limits<std::uint32_t>::max() - 1)
        throw std::length_error("an index has at most four billion trees");
    offsets_.push_back(written_);
    words_ += tree.forms.size();
    std::string record;
    const auto flag = [](bool is_set, IndexFlags one) {
        return is_set ? static_cast<std::uint32_t>(one) : 0;
    };
    put_number(record, flag(tree.is_dtree, kIsDTree) | flag(!tree.functions.empty(), kHasFunctions) |
                           flag(!tree.heads.empty(), kHasHeads) | flag(!tree.lemmas.empty(), kHasLemmas) |
                           flag(!tree.morphs.empty(), kHasMorphs) |
                           flag(!tree.leaf_functions.empty(), kHasLeafFunctions) |
                           flag(!tree.events.empty(), kHasEvents));
    put_number(record, static_cast<std::uint32_t>(tree.forms.size()));
    put_number(record, static_cast<std::uint32_t>(tree.labels.size()));
    for (const auto* column : {&tree.forms, &tree.tags, &tree.lemmas, &tree.morphs, &tree.leaf_functions,
                               &tree.events, &tree.labels, &tree.functions, &tree.heads})
        put_column(record, *column, 0);
    for (const auto* column : {&tree.leaf_parents, &tree.parents}) put_column(record, *column, 1);
    put_number(record, static_cast<std::uint32_t>(details.size()));
    record += details;
    put(record);
    note_all(IndexField::kLabel, tree.labels);
    note_all(IndexField::kTag, tree.tags);
    note_all(IndexField::kForm, tree.forms);
    note_all(IndexField::kLemma, tree.lemmas);
    note_all(IndexField::kMorph, tree.morphs);
    note_all(IndexField::kFunction, tree.functions);
    note_all(IndexField::kFunction, tree.leaf_functions);
    if (has_gap(tree)) note(IndexField::kGap, 0);
}

void IndexWriter::finish(const SymbolTable& symbols, std::string_view meta) {
    IndexFooter footer{};
    footer.trees = offsets_.size();
    footer.words = words_;
    footer.symbols = symbols.size();
    const auto put_numbers = [this](const std::vector<std::uint64_t>& numbers) {
        std::string bytes;
        for (const std::uint64_t number : numbers) put_fixed(bytes, number, 8);
        put(bytes);
    };
    offsets_.push_back(written_);
    footer.tree_offsets = written_;
    put_numbers(offsets_);

    footer.symbol_texts = written_;
    std::vector<std::uint64_t> starts;
    for (std::size_t symbol = 0; symbol < symbols.size(); ++symbol) {
        starts.push_back(written_);
        put(symbols.text(symbol));
    }
    starts.push_back(written_);
    footer.symbol_offsets = written_;
    put_numbers(starts);

    footer.lists = written_;
    std::string entries;
    for (std::uint32_t field = 0; field < kIndexFields; ++field)
        for (const std::uint32_t place : fields_[field].places) {
            if (!place) continue;
            List& list = fields_[field].lists[place - 1];
            put_fixed(entries, field, 4);
            put_fixed(entries, list.symbol, 4);
            put_fixed(entries, written_, 8);
            put(list.bytes);
            std::string().swap(list.bytes);
        }
    footer.entries = entries.size() / kIndexEntry;
    footer.list_entries = written_;
    put(entries);
    footer.meta = written_;
    put(meta);
    if (!block_.empty())
        checksums_.push_back(checksum(reinterpret_cast<const std::uint8_t*>(block_.data()), block_.size()));
    block_.clear();
    footer.checksums = written_;

    std::string end;
    for (const std::uint64_t number : checksums_) put_fixed(end, number, 8);
    for (const std::uint64_t number : {footer.trees, footer.words, footer.symbols, footer.entries,
                                       footer.tree_offsets, footer.symbol_texts, footer.symbol_offsets,
                                       footer.lists, footer.list_entries, footer.meta, footer.checksums})
        put_fixed(end, number, 8);
    put_fixed(end, checksum(reinterpret_cast<const std::uint8_t*>(end.data()), end.size()), 8);
    put_fixed(end, kIndexVersion, 8);
    end += kIndexMagic;
    buffer_ += end;
    written_ += end.size();
}

}  // namespace spindle
