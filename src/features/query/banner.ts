import type { cutAtBytes } from '../../base/span';

/** What is said about the query that was run. */
export interface BannerContent {
  readonly isError: boolean;
  readonly message: string;
  readonly hint: string | null;
  /** The query, cut at the part that the error is about. */
  readonly span: ReturnType<typeof cutAtBytes> | null;
  /** The label of the fix; null if there is none. */
  readonly fix: string | null;
  apply(): void;
}
