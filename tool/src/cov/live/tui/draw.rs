//! Draws the terminal: what ran of all sources or of one, and which functions are called now.

use std::collections::HashMap;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Modifier, Style, Stylize as _};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph};

use super::Shown;
use crate::cov::live::model::{Live, Since, State};
use crate::text::{many, printable, printable_bytes};
use profrt_coverage::paths::{Source, source};
use profrt_coverage::totals::Part;

/// Columns of a tab.
const TAB: &str = "    ";

/// Draws all.
pub(super) fn draw(frame: &mut Frame<'_>, live: &mut Live<'_>, shown: &mut Shown) {
    let rows = [Constraint::Length(1), Constraint::Min(0), Constraint::Length(2)];
    let [head, middle, foot] = Layout::vertical(rows).areas(frame.area());
    let [left, right] = Layout::horizontal([Constraint::Fill(2), Constraint::Fill(1)]).areas(middle);
    frame.render_widget(Line::from(heading(live, shown.since)).bold(), head);
    shown.chosen = shown.chosen.min(live.sources.len().saturating_sub(1));
    let (title, lines) = match (shown.line, live.sources.get(shown.chosen)) {
        (Some(_), Some(source)) => (source.path.clone(), lines(live, shown, left.height.into())),
        _ => ("files".to_owned(), files(live, shown, left.height.into(), left.width.into())),
    };
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(title)), left);
    let calls = live.calls();
    let calls = calls.iter().take(right.height.into()).map(|calls| {
        let style = if calls.place == Some(shown.chosen as u32) { Style::new().bold() } else { Style::new() };
        Line::styled(
            format!("{:>7.*}  {}", usize::from(calls.per_second < 10.0), calls.per_second, printable(calls.name)),
            style,
        )
    });
    let calls = Paragraph::new(calls.collect::<Vec<_>>());
    frame.render_widget(calls.block(Block::bordered().title("calls a second")), right);
    // The path is copied by hand into the environment of `profrt mark`: it has a line of its own.
    let keys = " ↑ ↓ PgUp PgDn  Enter file  m mark  c since the mark  q quit";
    frame.render_widget(Paragraph::new(format!("{keys}\n PROFRT_LIVE={}", shown.socket)).dim(), foot);
}

/// Returns the line above all: how much has run.
fn heading(live: &Live<'_>, since: Since) -> String {
    let lines = live.sums(since).lines;
    let since = match (since, &live.mark.name) {
        (Since::Start, _) => "in all".to_owned(),
        (Since::Mark, Some(name)) => format!("since {}", printable(name)),
        (Since::Mark, None) => "since the mark".to_owned(),
    };
    format!("{} of {} lines {since}, {}", percent(lines), lines.count, many(live.files() as u64, "continuous file"))
}

fn percent(Part { count, covered }: Part) -> String {
    format!("{:5.1} %", 100.0 * covered as f64 / count.max(1) as f64)
}

/// Returns the sources around the chosen one; bold: something has just run in it.
fn files(live: &Live<'_>, shown: &Shown, height: usize, width: usize) -> Vec<Line<'static>> {
    let first = shown.chosen.saturating_sub(height / 2);
    let all = live.sources.iter().zip(&live.states).enumerate().skip(first).take(height);
    let line = |(place, (source, state)): (usize, (&Source, &State))| {
        // The end of a path says most.
        let room = width.saturating_sub(14);
        let skipped = source.path.chars().count().saturating_sub(room);
        let path: String = source.path.chars().skip(skipped).collect();
        let mut style = Style::new();
        if state.counted == live.tick {
            style = style.bold();
        }
        if place == shown.chosen {
            style = style.add_modifier(Modifier::REVERSED);
        }
        Line::styled(format!("{}  {path}", percent(state.of(shown.since).lines)), style)
    };
    all.map(line).collect()
}

/// Returns the lines of the chosen source, with their counts; `>`: the line has just run.
fn lines(live: &mut Live<'_>, shown: &mut Shown, height: usize) -> Vec<Line<'static>> {
    let place = shown.chosen as u32;
    let report = live.report(place, shown.since, live.has_ended, |report, source, _| {
        Ok((report.lines.clone(), source.path.clone()))
    });
    let (counts, path) = match report {
        Ok(found) => found,
        Err(error) => return vec![Line::from(format!("{error:#}"))],
    };
    let Some(text) = source(&path) else { return vec![Line::from("The source cannot be read.")] };
    let counts: HashMap<u32, u64> = counts.into_iter().collect();
    let moving = live.ran(Some(place));
    let runs = |line| moving.iter().any(|(of, first, last)| *of == shown.chosen && (*first..=*last).contains(&line));
    let text: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    let first = shown.line.unwrap_or_default().min(text.len().saturating_sub(1));
    let line = |(number, text): (u32, &&[u8])| {
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let text: Vec<String> = text.split(|byte| *byte == b'\t').map(printable_bytes).collect();
        let count = counts.get(&number).map_or_else(String::new, u64::to_string);
        let style = match counts.get(&number) {
            Some(0) => Style::new().red(),
            Some(_) => Style::new().green(),
            None => Style::new(),
        };
        let (mark, style) = if runs(number) { (">", style.bold()) } else { (" ", style) };
        Line::from(vec![Span::styled(format!("{number:>6} {count:>10} {mark} "), style), Span::raw(text.join(TAB))])
    };
    let lines = (1..).zip(&text).skip(first).take(height).map(line).collect();
    shown.line = Some(first);
    lines
}
