//! Writes the first inputs of the targets into `corpus/`: for the merges into an image its profile, whole, and the same in the other forms
//! that an input can have; for the readers of `profdata` profiles of every format.

use std::fs;
use std::path::Path;

use profrt_fuzz::format::layout::Part;
use profrt_fuzz::loaded::Pieces;
use profrt_fuzz::subjects;

fn main() -> std::io::Result<()> {
    for target in ["merge_from_buffer", "merge_file"] {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
        fs::create_dir_all(&corpus)?;
        for (index, subject) in subjects().iter().enumerate() {
            let plan = Pieces::of(&subject.profile).expect("a profile").plan;
            let [counts, values] = [plan.chunk(Part::Counters).offset, plan.fixed_size()].map(|at| at as usize);
            let change = [counts as u8, (counts >> 8) as u8, 0xff];
            let whole = &subject.profile;
            let forms = [&whole[..], &whole[values..], &whole[counts..], &change];
            for (what, rest) in forms.into_iter().enumerate() {
                let mut input = vec![index as u8, what as u8];
                input.extend(rest);
                fs::write(corpus.join(format!("seed-{index}-{what}")), input)?;
            }
        }
    }
    profrt_fuzz::profiles::write_seeds(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"))
}
