/// Small line icons, drawn here: no font and no package for a dozen shapes.
const SHAPES = {
  overview: "M3 3h6v8H3zM11 3h6v5h-6zM11 10h6v7h-6zM3 13h6v4H3z",
  jobs: "M4 5h12M4 10h12M4 15h8",
  runs: "M6 4l9 6-9 6z",
  nodes: "M4 4h12v4H4zM4 12h12v4H4zM7 6h.01M7 14h.01",
  alerts: "M5 14V9a5 5 0 0110 0v5l1.5 1.5h-13zM8.5 17.5h3",
  checks: "M2 10h4l2-5 4 10 2-5h4",
  reports: "M5 3h7l3 3v11H5zM8 14v-3M10.5 14V9M13 14v-2",
  search: "M9 4a5 5 0 100 10A5 5 0 009 4zM13 13l4 4",
  sun: "M10 7a3 3 0 100 6 3 3 0 000-6zM10 2v2M10 16v2M2 10h2M16 10h2M4.5 4.5L6 6M14 14l1.5 1.5M15.5 4.5L14 6M6 14l-1.5 1.5",
  moon: "M16 12.5A7 7 0 017.5 4a6.5 6.5 0 108.5 8.5z",
  system: "M3 4h14v9H3zM7 17h6M10 13v4",
  user: "M10 4a3 3 0 100 6 3 3 0 000-6zM4 17c0-3 3-5 6-5s6 2 6 5",
  more: "M5 10h.01M10 10h.01M15 10h.01",
  play: "M7 5l8 5-8 5z",
  pause: "M7 5v10M13 5v10",
  copy: "M7 7h9v9H7zM4 13V4h9",
  check: "M4 10l4 4 8-8",
  left: "M12 5l-5 5 5 5",
  right: "M8 5l5 5-5 5",
  down: "M5 8l5 5 5-5",
  compare: "M3 4h5v12H3zM12 4h5v12h-5zM10 3v14",
  limits: "M4 16V9M8 16V5M12 16v-5M16 16V8M3 4h14",
  star: "M10 3l2.1 4.5 4.9.6-3.6 3.4.9 4.9-4.3-2.4-4.3 2.4.9-4.9L3 8.1l4.9-.6z",
  locks: "M5 9h10v7H5zM7 9V7a3 3 0 016 0v2M10 12v2",
  events: "M10 4a6 6 0 100 12 6 6 0 000-12zM10 7v3l2 2",
  calendars: "M4 5h12v11H4zM4 9h12M7 3v4M13 3v4",
  backfills: "M9 5l-5 5 5 5M15 5l-5 5 5 5",
  tokens: "M7 7a3 3 0 100 6 3 3 0 000-6zM10 10h7M14 10v3M17 10v2",
  views: "M6 4h8v13l-4-3-4 3z",
  settings: "M4 6h8M15 6h1M4 14h1M8 14h8M13 4v4M6 12v4",
} as const;

export function Icon({ name, size = 18 }: { name: keyof typeof SHAPES; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={SHAPES[name]} />
    </svg>
  );
}
