/** A released address must outlive the browser's look at it. */
const DOWNLOAD_STARTS_MS = 60_000;

/** Has the browser keep a text as a file, as any download. */
export function download(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), DOWNLOAD_STARTS_MS);
}
