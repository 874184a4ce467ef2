//! A badge: a picture of the share of lines that ran.

use anyhow::Result;

use crate::format::{About, Format, Whole};
use crate::totals::Part;

#[derive(Debug)]
pub struct Badge;

impl Format for Badge {
    fn about(&self) -> About {
        About { name: "badge", help: "Write a badge with the line coverage, as SVG", ..About::default() }
    }

    fn end(&self, whole: &Whole<'_>, _: &[String]) -> Result<String> {
        Ok(picture(whole.report.totals.lines))
    }
}

fn picture(lines: Part) -> String {
    // Down, so that 100 % is all.
    let share = (100 * u128::from(lines.covered)).checked_div(lines.count.into());
    let text = share.map_or_else(|| "none".to_owned(), |share| format!("{share} %"));
    let color = match share {
        None => "#777",
        Some(90..) => "#2c8a2c",
        Some(70..) => "#a87a00",
        Some(_) => "#c0392b",
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"106\" height=\"20\" role=\"img\" aria-label=\"coverage: {text}\">\n\
         <title>coverage: {text}</title>\n\
         <rect width=\"62\" height=\"20\" fill=\"#444\"/><rect x=\"62\" width=\"44\" height=\"20\" fill=\"{color}\"/>\n\
         <g fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">\n\
         <text x=\"31\" y=\"14\">coverage</text><text x=\"84\" y=\"14\">{text}</text>\n</g>\n</svg>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_down() {
        for (count, covered, text) in [(0, 0, "none"), (1000, 999, "99 %"), (3, 3, "100 %"), (u64::MAX, 0, "0 %")] {
            assert!(picture(Part { count, covered }).contains(&format!(">{text}</text>")), "{covered}/{count}");
        }
    }
}
