/// One accent colour (brass) and calm neutrals; the colours of states stand in app.css.
import { createTheme, type MantineColorsTuple } from "@mantine/core";

const brass: MantineColorsTuple = [
  "#fbf5e9",
  "#f1e6cd",
  "#e3cb99",
  "#d9b56a",
  "#d9a441",
  "#b98530",
  "#8f621b",
  "#7c5516",
  "#6b4912",
  "#54390c",
];

export const theme = createTheme({
  primaryColor: "brass",
  primaryShade: 6,
  autoContrast: true,
  colors: { brass },
  defaultRadius: 6,
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Noto Sans CJK SC", "Microsoft YaHei", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "Noto Sans Mono CJK SC", monospace',
  // The placeholder is an element of no kind within a menu: screen readers count it as an entry without a name.
  components: { Menu: { defaultProps: { withInitialFocusPlaceholder: false } } },
  fontSizes: { xs: "12px", sm: "13px", md: "14px", lg: "16px", xl: "20px" },
});
