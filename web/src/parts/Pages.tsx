/// A list that is read page by page: its items, what stands in their place when there are none, and the button for more.
import { Button } from "@mantine/core";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { useSay } from "../words/say.ts";
import { Loaded } from "./Loaded.tsx";

interface Props<T> {
  query: UseInfiniteQueryResult<InfiniteData<{ items: T[] }>>;
  empty: ReactNode;
  rows?: number;
  children: (items: T[]) => ReactNode;
}

export function Pages<T>({ query, empty, rows = 8, children }: Props<T>) {
  const say = useSay();
  const { hasNextPage, isFetching, fetchNextPage, data } = query;
  const hasNothingYet = data?.pages.every((page) => page.items.length === 0);
  // A filter lets only some through: the server looks at so many rows, says where it stopped, and is asked to go on.
  const goesOn = hasNothingYet === true && hasNextPage;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);
  return (
    <>
      <Loaded query={query} rows={rows}>
        {(found) => {
          const items = found.pages.flatMap((page) => page.items);
          if (items.length > 0) return children(items);
          return goesOn ? <div className="skeleton" aria-busy="true" /> : empty;
        }}
      </Loaded>
      {hasNextPage && !goesOn && (
        <p>
          <Button
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {say("do.show_more")}
          </Button>
        </p>
      )}
    </>
  );
}
