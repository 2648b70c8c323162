/// Names, ids and texts of users: shown as they are, in no language.
import type { ReactNode } from "react";

export function Raw({ children, mono = false }: { children: ReactNode; mono?: boolean }) {
  return (
    <span translate="no" className={mono ? "mono" : undefined}>
      {children}
    </span>
  );
}
