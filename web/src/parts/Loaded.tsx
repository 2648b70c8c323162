/// What was read, or a skeleton while it is read, or the error. Old content stays, dimmed, while a new one is awaited.
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ProblemBox } from "./Problem.tsx";

interface Asked<T> {
  data: T | undefined;
  error: Error | null;
  isPlaceholderData: boolean;
  refetch: UseQueryResult["refetch"];
}

export function Loaded<T>({
  query,
  rows = 4,
  children,
}: {
  query: Asked<T>;
  rows?: number;
  children: (found: T) => ReactNode;
}) {
  const again = () => void query.refetch();
  if (query.data === undefined) {
    if (query.error) return <ProblemBox error={query.error} again={again} />;
    return (
      <div aria-busy="true">
        {Array.from({ length: rows }, (_, index) => (
          <div key={index} className="skeleton" />
        ))}
      </div>
    );
  }
  const isOld = query.isPlaceholderData || query.error !== null;
  return (
    <>
      {query.error && <ProblemBox error={query.error} again={again} />}
      <div className={isOld ? "dim" : undefined}>{children(query.data)}</div>
    </>
  );
}
