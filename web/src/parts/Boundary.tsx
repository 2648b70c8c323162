/// Keeps an error of one page or panel to itself.
import { Component, type ReactNode } from "react";
import { ProblemBox } from "./Problem.tsx";

interface Props {
  children: ReactNode;
  /** A change of it, such as another address, gives the content another chance. */
  at?: string;
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
    if (this.state.error === null) return this.props.children;
    return <ProblemBox error={this.state.error} again={() => this.setState({ error: null })} />;
  }
}
