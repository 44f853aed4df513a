//! Pictures that stand alone: SVG with its own style sheet, PNG and PDF.

use crate::markup::{Element, el, short};
use crate::palette;

/// How a picture is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Text, for browsers and editors.
    Svg,
    /// Points, at twice the size.
    Png,
    /// For print.
    Pdf,
}

impl PictureFormat {
    /// Endings of the names of files.
    pub const EXTENSIONS: [&'static str; 3] = ["svg", "png", "pdf"];

    /// The format that an ending asks for.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "svg" => Some(Self::Svg),
            "png" => Some(Self::Png),
            "pdf" => Some(Self::Pdf),
            _ => None,
        }
    }
}

/// Why a picture cannot be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// Letters cannot be drawn.
    #[error("no font was found, and a picture without letters explains nothing")]
    NoFont,
    /// The picture is too large, or not what the converter takes.
    #[error("the picture cannot be converted: {0}")]
    Convert(String),
}

impl PictureError {
    /// A way out.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoFont => "install a font (on Debian: fonts-dejavu-core), or write .svg",
            Self::Convert(_) => "write .svg, which takes any size",
        }
    }
}

/// A picture as a file of SVG: on white, with the style sheet in it.
#[must_use]
pub fn document(picture: &Element) -> String {
    let (width, height) = picture.size();
    let paper = el("rect").at("class", "paper").num("width", width).num("height", height);
    let style = el("style").raw(palette::style(false));
    picture.clone().at("xmlns", "http://www.w3.org/2000/svg").first(paper).first(style).render()
}

/// Pictures one below the other, or side by side where `columns` is more than 1.
#[must_use]
pub fn grid(title: &str, pictures: Vec<Element>, columns: usize) -> Element {
    let columns = columns.clamp(1, pictures.len().max(1));
    let (mut y, mut width, mut placed) = (0.0, 0.0f64, Vec::new());
    let sizes: Vec<(f64, f64)> = pictures.iter().map(Element::size).collect();
    for (pictures, sizes) in pictures.chunks(columns).zip(sizes.chunks(columns)) {
        let mut x = 0.0;
        for (picture, size) in pictures.iter().zip(sizes) {
            placed.push(picture.clone().num("x", x).num("y", y));
            x += size.0 + 12.0;
        }
        width = width.max(x - 12.0);
        y += sizes.iter().map(|size| size.1).fold(0.0, f64::max) + 8.0;
    }
    crate::chart::canvas(width.max(40.0), (y - 8.0).max(40.0), title).with_all(placed)
}

/// A picture in a format.
///
/// # Errors
///
/// [`PictureError`]; never of SVG.
#[cfg(feature = "raster")]
pub fn render(picture: &Element, format: PictureFormat) -> Result<Vec<u8>, PictureError> {
    use resvg::{tiny_skia, usvg};
    use std::sync::Arc;

    let text = document(picture);
    if format == PictureFormat::Svg {
        return Ok(text.into_bytes());
    }
    let mut options = usvg::Options::default();
    let fonts = Arc::make_mut(&mut options.fontdb);
    fonts.load_system_fonts();
    if fonts.is_empty() {
        return Err(PictureError::NoFont);
    }
    let has = |fonts: &usvg::fontdb::Database, name: &str| {
        fonts.faces().any(|face| face.families.iter().any(|(family, _)| family == name))
    };
    // The generic family must be one that is there.
    let sans =
        ["DejaVu Sans", "Liberation Sans", "Arial", "Helvetica"].into_iter().find(|name| has(fonts, name));
    let first = fonts.faces().next().and_then(|face| face.families.first()).map(|(name, _)| name.clone());
    if let Some(name) = sans.map(str::to_owned).or(first) {
        fonts.set_sans_serif_family(name);
    }
    let convert = |error: &dyn std::fmt::Display| PictureError::Convert(error.to_string());
    let tree = usvg::Tree::from_str(&text, &options).map_err(|error| convert(&error))?;
    if format == PictureFormat::Pdf {
        let options = svg2pdf::ConversionOptions::default();
        return svg2pdf::to_pdf(&tree, options, svg2pdf::PageOptions::default())
            .map_err(|error| convert(&error));
    }
    let size = tree.size().to_int_size();
    let map = tiny_skia::Pixmap::new(size.width().saturating_mul(2), size.height().saturating_mul(2));
    let mut map =
        map.ok_or_else(|| PictureError::Convert(format!("{} × {} points", size.width(), size.height())))?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(2.0, 2.0), &mut map.as_mut());
    map.encode_png().map_err(|error| convert(&error))
}

/// Size and place of a drawing, for file names and tests: `420 × 300`.
#[must_use]
pub fn size_text(picture: &Element) -> String {
    let (width, height) = picture.size();
    format!("{} × {}", short(width), short(height))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::risk_coverage;

    #[test]
    fn a_document_stands_alone() {
        let text = document(&risk_coverage(&[(0.5, 0.1), (1.0, 0.2)], "error"));
        assert!(text.starts_with("<svg") && text.contains("xmlns=\"http://www.w3.org/2000/svg\""));
        assert!(text.contains("<style>svg text{fill:#1f2937}"));
    }

    #[test]
    fn grids_hold_their_pictures() {
        let one = risk_coverage(&[(1.0, 0.2)], "error");
        let found = grid("two", vec![one.clone(), one.clone(), one], 2);
        assert_eq!(size_text(&found), "852 × 608");
    }

    #[test]
    #[cfg(feature = "raster")]
    fn pictures_have_the_signs_of_their_formats() {
        let picture = risk_coverage(&[(0.5, 0.1), (1.0, 0.2)], "error");
        assert!(render(&picture, PictureFormat::Png).unwrap().starts_with(b"\x89PNG"));
        assert!(render(&picture, PictureFormat::Pdf).unwrap().starts_with(b"%PDF-"));
        assert_eq!(PictureFormat::of_extension("PNG"), Some(PictureFormat::Png));
    }
}
