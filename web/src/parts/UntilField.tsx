/// Until when something is so: a time of the zone on the screen, or nothing, which means that somebody ends it.
import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { instantWritten } from "../format/day.ts";
import { useSay } from "../words/say.ts";
import { useDraft } from "./draft.ts";
import { useZone } from "./settings.ts";

interface Until {
  /** As it is sent; absent when nothing was written. */
  at: string | undefined;
  /** False while what is written is no time. */
  isWhole: boolean;
  forget: () => void;
  field: ReactNode;
}

/** `place` names the form: what was written there stays through a reload. */
export function useUntil(place: string): Until {
  const say = useSay();
  const zone = useZone();
  const [{ until }, keep, forget] = useDraft(place, { until: "" });
  const at = instantWritten(until, zone) ?? undefined;
  const isWhole = until === "" || at !== undefined;
  const field = (
    <TextInput
      type="datetime-local"
      label={say("pause.until")}
      value={until}
      error={isWhole ? undefined : say("field.half_date")}
      onChange={(event) => keep({ until: event.currentTarget.value })}
    />
  );
  return { at, isWhole, forget, field };
}
