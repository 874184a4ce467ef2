//! Files, or modules, that use each other in a circle.

use std::collections::{BTreeSet, VecDeque};

use super::graph::Graph;

/// Returns a finding for each circle in the graph.
pub fn check(graph: &Graph) -> Vec<String> {
    let mut findings = Vec::new();
    for circle in circles(graph) {
        let line = circle.iter().copied().collect::<Vec<_>>().join(",");
        let shortest = shown(graph, &shortest(graph, &circle));
        findings.push(format!("{} use each other: {line} (shortest: {shortest})", circle.len()));
    }
    findings
}

/// Groups of files that all use each other, directly or not.
fn circles(graph: &Graph) -> Vec<BTreeSet<&str>> {
    let mut circles: Vec<BTreeSet<&str>> = Vec::new();
    for from in graph.keys().map(String::as_str) {
        if circles.iter().any(|circle| circle.contains(from)) {
            continue;
        }
        let back = |file: &&str| reachable(graph, file).contains(from);
        let circle: BTreeSet<&str> = reachable(graph, from).into_iter().filter(back).collect();
        if !circle.is_empty() {
            circles.push(circle);
        }
    }
    circles
}

fn used<'a>(graph: &'a Graph, file: &str) -> impl Iterator<Item = &'a str> {
    graph.get(file).into_iter().flat_map(|used| used.keys().map(String::as_str))
}

/// The files that a path of one edge or more leads to.
fn reachable<'a>(graph: &'a Graph, from: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = used(graph, from).collect();
    while let Some(file) = open.pop() {
        if found.insert(file) {
            open.extend(used(graph, file));
        }
    }
    found
}

/// The shortest path from a file of a circle back to it.
fn shortest<'a>(graph: &'a Graph, circle: &BTreeSet<&'a str>) -> Vec<&'a str> {
    let ways = circle.iter().map(|&start| {
        let mut open = VecDeque::from([vec![start]]);
        let mut seen = BTreeSet::new();
        while let Some(way) = open.pop_front() {
            for next in used(graph, way[way.len() - 1]) {
                let longer = [&way[..], &[next]].concat();
                if next == start {
                    return longer;
                }
                if seen.insert(next) {
                    open.push_back(longer);
                }
            }
        }
        Vec::new()
    });
    ways.min_by_key(Vec::len).unwrap_or_default()
}

/// `a.rs:3 -> b.rs:7 -> a.rs`, with the lines that use the next one.
fn shown(graph: &Graph, way: &[&str]) -> String {
    let mut text = String::new();
    for pair in way.windows(2) {
        text.push_str(&format!("{}:{} -> ", pair[0], graph[pair[0]][pair[1]]));
    }
    text + way.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::testing::barks;
    use super::*;

    fn findings(edges: &[(&str, &str)]) -> Vec<String> {
        let mut graph = Graph::new();
        for (line, (from, to)) in edges.iter().enumerate() {
            graph.entry((*from).to_owned()).or_default().insert((*to).to_owned(), line);
        }
        check(&graph)
    }

    #[test]
    fn ways_without_a_circle_pass() {
        assert_eq!(findings(&[("a", "b"), ("a", "c"), ("b", "c")]), [""; 0]);
    }

    #[test]
    fn circles_are_found() {
        barks(
            &findings(&[("a", "b"), ("b", "c"), ("c", "a")]),
            &["3 use each other", "a,b,c", "a:0 -> b:1 -> c:2 -> a"],
        );
        let found = findings(&[("a", "b"), ("b", "a"), ("b", "c"), ("c", "d"), ("d", "c")]);
        barks(&found, &["2 use each other", "a,b"]);
        barks(&found, &["2 use each other", "c,d"]);
    }
}
