import edu.stanford.nlp.trees.MemoryTreebank;
import edu.stanford.nlp.trees.Tree;
import edu.stanford.nlp.trees.tregex.TregexMatcher;
import edu.stanford.nlp.trees.tregex.TregexPattern;
import java.lang.management.ManagementFactory;

/**
 * Prints the CPU seconds of loading a treebank with Tregex, and for each pattern the matching nodes and the CPU seconds
 * of each round over the loaded trees. Arguments: FILE ROUNDS PATTERN...
 */
public class SearchSpeed {
  static double cpu() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e9;
  }

  public static void main(String[] args) {
    System.out.println("start\t" + cpu());
    double before = cpu();
    MemoryTreebank trees = new MemoryTreebank(new TregexPattern.TRegexTreeReaderFactory());
    trees.loadPath(args[0]);
    System.out.println("load\t" + trees.size() + "\t" + (cpu() - before));
    int rounds = Integer.parseInt(args[1]);
    for (int at = 2; at < args.length; ++at) {
      StringBuilder times = new StringBuilder();
      long found = 0;
      for (int round = 0; round < rounds; ++round) {
        before = cpu();
        TregexPattern pattern = TregexPattern.compile(args[at]);
        found = 0;
        for (Tree tree : trees) {
          TregexMatcher matcher = pattern.matcher(tree);
          while (matcher.findNextMatchingNode()) ++found;
        }
        times.append('\t').append(cpu() - before);
      }
      System.out.println("query\t" + found + times);
    }
  }
}
