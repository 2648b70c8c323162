/// One step back or on: to the day, the week or the page beside this one.
import { ActionIcon } from "@mantine/core";
import { Icon } from "../look/Icon.tsx";

export function Step({ label, icon, act }: { label: string; icon: "left" | "right"; act: () => void }) {
  return (
    <ActionIcon variant="default" size="lg" aria-label={label} title={label} onClick={act}>
      <Icon name={icon} />
    </ActionIcon>
  );
}
