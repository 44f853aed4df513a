//! Colours that people with any kind of colour vision tell apart, as classes of a style sheet.
//!
//! Series take the colours of Okabe and Ito; signed values go from blue over grey to vermilion in eleven steps. Pictures name
//! classes only, so that a page can draw the same picture in light and in dark.

/// Classes of signed values: `d0` is the most negative, `d10` the most positive.
pub const STEPS: usize = 11;

/// Series, in the order in which they are taken: light page, dark page.
const SERIES: [(&str, &str); 7] = [
    ("#0072b2", "#56b4e9"),
    ("#d55e00", "#ff8c42"),
    ("#009e73", "#2fd0a2"),
    ("#cc79a7", "#e6a5c8"),
    ("#b8860b", "#f0c24b"),
    ("#5b6b7b", "#a9b7c6"),
    ("#56b4e9", "#9ad7ff"),
];

/// Number of colours of series.
pub const N_SERIES: usize = SERIES.len();

/// The class of a value between `-scale` and `scale`.
#[must_use]
pub fn step(value: f64, scale: f64) -> usize {
    let share = if scale > 0.0 { (value / scale).clamp(-1.0, 1.0) } else { 0.0 };
    let half = (STEPS / 2) as f64;
    (half + (half * share).round()) as usize
}

/// The style sheet of pictures; `dark` for a dark page.
#[must_use]
pub fn style(dark: bool) -> String {
    let (ink, soft, grid, paper, fill) = match dark {
        false => ("#1f2937", "#475569", "#d8dee6", "#ffffff", "#eef2f6"),
        true => ("#e8edf3", "#b4c0cd", "#3a4654", "#12181f", "#1e2731"),
    };
    let mut css = format!(
        "svg text{{fill:{ink}}}svg .soft{{fill:{soft}}}svg .grid{{stroke:{grid};fill:none}}svg .axis{{stroke:{soft};fill:none}}\
         svg .ink{{fill:{ink}}}svg .inkline{{stroke:{ink};fill:none}}svg .paper{{fill:{paper}}}svg .face{{fill:{fill}}}\
         svg .bond{{stroke:{soft};fill:none}}svg .halo{{stroke:{paper};stroke-width:3px;paint-order:stroke}}"
    );
    for (i, &(light, night)) in SERIES.iter().enumerate() {
        let color = if dark { night } else { light };
        css += &format!("svg .l{i}{{stroke:{color};fill:none}}svg .f{i}{{fill:{color}}}");
    }
    for i in 0..STEPS {
        let color = diverging(i, dark);
        css += &format!("svg .d{i}{{fill:{color}}}svg .e{i}{{stroke:{color};fill:none}}");
    }
    css
}

/// A colour between blue, grey and vermilion.
fn diverging(step: usize, dark: bool) -> String {
    let (low, middle, high) = match dark {
        false => ([0.0, 90.0, 160.0], [222.0, 226.0, 230.0], [200.0, 75.0, 0.0]),
        true => ([90.0, 185.0, 240.0], [70.0, 80.0, 92.0], [255.0, 140.0, 66.0]),
    };
    let half = (STEPS / 2) as f64;
    let at = (step as f64 - half) / half;
    let end = if at < 0.0 { low } else { high };
    let mix = |k: usize| (middle[k] + at.abs() * (end[k] - middle[k])).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_symmetric_and_bounded() {
        assert_eq!([-9.0, -1.0, 0.0, 1.0, 9.0].map(|v| step(v, 1.0)), [0, 0, 5, 10, 10]);
        assert_eq!(step(0.3, 1.0) + step(-0.3, 1.0), 10);
        assert_eq!(step(1.0, 0.0), 5);
    }

    #[test]
    fn the_ends_of_the_scale_differ_from_each_other_and_from_its_middle_in_lightness() {
        for dark in [false, true] {
            let light = |i| {
                let color = diverging(i, dark);
                let part =
                    |k: usize| f64::from(u8::from_str_radix(&color[1 + 2 * k..3 + 2 * k], 16).unwrap());
                0.299 * part(0) + 0.587 * part(1) + 0.114 * part(2)
            };
            assert!((light(0) - light(5)).abs() > 60.0 && (light(10) - light(5)).abs() > 60.0);
        }
    }

    #[test]
    fn every_class_has_a_colour_in_both_styles() {
        for dark in [false, true] {
            let css = style(dark);
            (0..N_SERIES).for_each(|i| {
                assert!(css.contains(&format!(".l{i}{{")) && css.contains(&format!(".f{i}{{")))
            });
            (0..STEPS).for_each(|i| assert!(css.contains(&format!(".d{i}{{"))));
        }
    }
}
