/// A button that is an icon, for the rows of lists: a list has hundreds of them, so it is no more than a button.
import type { ComponentProps } from "react";
import { Icon } from "../look/Icon.tsx";

interface Props extends Omit<ComponentProps<"button">, "children" | "aria-label" | "title" | "type"> {
  icon: ComponentProps<typeof Icon>["name"];
  /** What it does: read aloud, and shown when the pointer is on it. */
  label: string;
}

export function IconButton({ icon, label, className = "", ...rest }: Props) {
  return (
    <button type="button" className={`iconbutton ${className}`} aria-label={label} title={label} {...rest}>
      <Icon name={icon} size={16} />
    </button>
  );
}
