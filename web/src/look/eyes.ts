/// How colours are told apart: contrast as WCAG counts it, and the distance that people with each kind of eyes see.

type Rgb = [number, number, number];

/** Of linear light, without the cones for red, green or blue (Machado, Oliveira, Fernandes 2009). */
export const EYES = {
  usual: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
} as const;

/** Linear light of `#rrggbb`. */
function lightOf(color: string): Rgb {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return [red, green, blue];
}

/** From 1, alike, to 21, black on white. */
export function contrast(one: string, other: string): number {
  const [dark = 0, bright = 0] = [one, other]
    .map(lightOf)
    .map(([red, green, blue]) => 0.2126 * red + 0.7152 * green + 0.0722 * blue)
    .sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

/** How far apart two colours are for these eyes, in OKLab: below 0.02 nobody tells them apart, black and white are 1. */
export function distance(one: string, other: string, eyes: keyof typeof EYES): number {
  const [a, b] = [labOf(seen(lightOf(one), eyes)), labOf(seen(lightOf(other), eyes))];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function seen(light: Rgb, eyes: keyof typeof EYES): Rgb {
  return times(EYES[eyes], light).map((share) => Math.min(1, Math.max(0, share))) as Rgb;
}

function labOf(light: Rgb): Rgb {
  const cones = times(
    [
      0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451, 0.1073969566, 0.0883024619,
      0.2817188376, 0.6299787005,
    ],
    light,
  ).map(Math.cbrt) as Rgb;
  return times(
    [
      0.2104542553, 0.793617785, -0.0040720468, 1.9779984951, -2.428592205, 0.4505937099, 0.0259040371,
      0.7827717662, -0.808675766,
    ],
    cones,
  );
}

function times(matrix: readonly number[], [x, y, z]: Rgb): Rgb {
  const row = (at: number) => (matrix[at] ?? 0) * x + (matrix[at + 1] ?? 0) * y + (matrix[at + 2] ?? 0) * z;
  return [row(0), row(3), row(6)];
}
