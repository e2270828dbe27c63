//! Colours and palettes. The viewer's page takes its colours from here.

/// Where there is nothing.
pub const GROUND: [u8; 3] = [17, 22, 30];
/// Solids.
pub const SOLID: [u8; 3] = [84, 92, 102];
/// Cells whose wall has let go.
pub const SEPARATED: [u8; 3] = [255, 140, 26];

/// Red, green and blue in [0, 1], in sRGB unless a name says linear.
pub(crate) type Colour = [f32; 3];

/// A sequence of colours from slow to fast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// Deep blue over cyan to white, like water that breaks.
    #[default]
    Foam,
    /// Violet over green to yellow, after matplotlib's viridis.
    Viridis,
}

impl Palette {
    /// Stops at equal distances. Lightness rises evenly from one to the next.
    fn stops(self) -> &'static [[u8; 3]] {
        match self {
            Self::Foam => &[[30, 84, 166], [32, 122, 204], [62, 164, 226], [132, 206, 238], [248, 252, 255]],
            Self::Viridis => &[[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]],
        }
    }

    /// 256 colours from slow to fast, as bytes.
    pub fn colours(self) -> [[u8; 3]; 256] {
        let table = self.table();
        std::array::from_fn(|entry| to_bytes(table[entry]))
    }

    /// 256 colours from slow to fast, interpolated in OKLab, where equal steps look equal.
    pub(crate) fn table(self) -> Vec<Colour> {
        let stops: Vec<[f32; 3]> = self.stops().iter().map(|&stop| oklab_from_srgb(from_bytes(stop))).collect();
        let spans = (stops.len() - 1) as f32;
        let colour = |entry: usize| {
            let place = entry as f32 / 255.0 * spans;
            let span = (place as usize).min(stops.len() - 2);
            srgb_from_oklab(mix(stops[span], stops[span + 1], place - span as f32))
        };
        (0..256).map(colour).collect()
    }
}

/// Bytes to [0, 1].
pub(crate) fn from_bytes(bytes: [u8; 3]) -> Colour {
    bytes.map(|byte| f32::from(byte) / 255.0)
}

/// [0, 1] to bytes.
pub(crate) fn to_bytes(colour: Colour) -> [u8; 3] {
    colour.map(|value| (value * 255.0 + 0.5) as u8)
}

/// From `a` at 0 to `b` at 1.
#[inline]
pub(crate) fn mix(a: Colour, b: Colour, part: f32) -> Colour {
    std::array::from_fn(|channel| a[channel] + (b[channel] - a[channel]) * part)
}

/// Moves a byte towards a value in [0, 1].
#[inline]
pub(crate) fn blend_byte(byte: u8, target: f32, opacity: f32) -> u8 {
    let value = f32::from(byte);
    (value + (target * 255.0 - value) * opacity + 0.5) as u8
}

/// Light to what displays take.
pub(crate) fn srgb_from_linear(value: f32) -> f32 {
    if value <= 0.003_130_8 { 12.92 * value } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 }
}

/// What displays take to light.
pub(crate) fn linear_from_srgb(value: f32) -> f32 {
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Björn Ottosson's perceptual space (2020).
fn oklab_from_srgb(colour: Colour) -> [f32; 3] {
    let linear = colour.map(linear_from_srgb);
    let cones = times(
        [
            [0.412_221_46, 0.536_332_55, 0.051_445_995],
            [0.211_903_5, 0.680_699_5, 0.107_396_96],
            [0.088_302_46, 0.281_718_85, 0.629_978_7],
        ],
        linear,
    );
    times(
        [
            [0.210_454_26, 0.793_617_8, -0.004_072_047],
            [1.977_998_5, -2.428_592_2, 0.450_593_7],
            [0.025_904_037, 0.782_771_77, -0.808_675_77],
        ],
        cones.map(f32::cbrt),
    )
}

fn srgb_from_oklab(lab: [f32; 3]) -> Colour {
    let roots = times(
        [[1.0, 0.396_337_78, 0.215_803_76], [1.0, -0.105_561_346, -0.063_854_17], [1.0, -0.089_484_18, -1.291_485_5]],
        lab,
    );
    let linear = times(
        [
            [4.076_741_7, -3.307_711_6, 0.230_969_94],
            [-1.268_438, 2.609_757_4, -0.341_319_38],
            [-0.004_196_086, -0.703_418_6, 1.707_614_7],
        ],
        roots.map(|root| root * root * root),
    );
    linear.map(|value| srgb_from_linear(value.clamp(0.0, 1.0)))
}

fn times(matrix: [[f32; 3]; 3], vector: [f32; 3]) -> [f32; 3] {
    matrix.map(|row| row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn palettes_pass_through_their_stops_and_grow_lighter() {
        for palette in [Palette::Foam, Palette::Viridis] {
            let table = palette.table();
            assert_eq!(to_bytes(table[0]), palette.stops()[0]);
            assert_eq!(to_bytes(table[255]), palette.stops()[4]);
            let lightness: Vec<f32> = table.iter().map(|&colour| oklab_from_srgb(colour)[0]).collect();
            assert!(lightness.windows(2).all(|pair| pair[1] > pair[0] - 1e-4), "{palette:?}");
        }
    }
}
