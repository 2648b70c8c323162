/// Keeps an error of one page or panel to itself.
import { Component, type ReactNode } from "react";
import { MissingPart } from "./coming.ts";
import { ProblemBox } from "./Problem.tsx";

interface Props {
  children: ReactNode;
  /** A change of it, such as another address, gives the content another chance. */
  at?: string;
  /** What is shown instead where a whole sentence has no room. */
  instead?: ((error: Error, again: () => void) => ReactNode) | undefined;
}

export class Boundary extends Component<Props, { error: Error | null; at: string | undefined }> {
  override state = { error: null as Error | null, at: this.props.at };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  static getDerivedStateFromProps(props: Props, state: { error: Error | null; at: string | undefined }) {
    return props.at === state.at ? null : { error: null, at: props.at };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const again = () => {
      if (error instanceof MissingPart) error.forget();
      this.setState({ error: null });
    };
    return this.props.instead?.(error, again) ?? <ProblemBox error={error} again={again} />;
  }
}
