/** Stack traces in the text of an event: which lines are frames, whose code they are, and which line names the cause. */

/** `header` introduces frames, `more` counts frames that the logger left out, `gap` is text left out here. */
export type LineKind =
  'text' | 'exception' | 'cause' | 'own' | 'library' | 'header' | 'more' | 'gap';

export interface TraceLine {
  readonly text: string;
  readonly kind: LineKind;
}

/** Consecutive lines of library code, or one other line. */
export interface TracePart {
  readonly kind: LineKind;
  readonly lines: readonly TraceLine[];
  /** The number of frames in it. */
  readonly frames: number;
}

/** How a language writes frames. Each pattern is tested on one line. */
interface Language {
  readonly name: string;
  readonly frame: RegExp;
  /** The code of others: tested on each line of a frame. */
  readonly library: RegExp;
  /** Further lines of a frame: its place, or its code. */
  readonly more?: RegExp;
  /** Whether a line is a frame only if `more` matches the next one. */
  readonly isPair?: boolean;
}

/** The first one that matches counts: Rust's places look like frames of JavaScript, and Java's frames like those of .NET. */
export const LANGUAGES: readonly Language[] = [
  {
    name: 'Java',
    frame:
      /^\s*at (?:\S+\/)?[\w$.<>-]+\((?:[\w$.-]+\.(?:java|kt|kts|scala|groovy|clj)(?::\d+)?|Native Method|Unknown Source|<generated>|[\w$.-]+:\d+)\)/,
    library:
      /^\s*at (?:\S+\/)?(?:javax?|jakarta|jdk|sun|com\.sun|kotlinx?|scala|akka|groovy|clojure|reactor|androidx?|dalvik|org\.(?:springframework|apache|eclipse|hibernate|jboss|wildfly|codehaus|junit|slf4j|aspectj|postgresql|gradle)|io\.(?:netty|micrometer|undertow|vertx|reactivex|grpc|quarkus|micronaut)|com\.(?:android|fasterxml|zaxxer|mysql|google\.(?:common|inject))|ch\.qos)\./,
  },
  {
    name: 'Rust',
    frame: /^\s+\d+:\s+(?:0x[\da-f]+ - )?[\w<]\S*::/,
    more: /^\s+at \S+:\d+(?::\d+)?$/,
    library:
      /^\s+\d+:\s+(?:0x[\da-f]+ - )?<?(?:std|core|alloc|tokio|futures\w*|hyper|rayon\w*|__rust\w*|rust_begin_unwind)::|\/rustc\/|\.cargo\/(?:registry|git)/,
  },
  {
    name: 'Python',
    frame: /^\s*File "[^"]+", line \d+/,
    more: /^\s{4,}\S/,
    library:
      /^\s*File "(?:[^"]*[\\/](?:site|dist)-packages[\\/]|[^"]*[\\/]lib[\\/]python\d|<frozen )/,
  },
  {
    name: 'Go',
    frame: /^(?:created by )?[\w./*()\-[\]]+(?:\(.*\))?(?: in goroutine \d+)?$/,
    more: /^\s+\S+\.(?:go|s):\d+(?: \+0x[\da-f]+)?$/,
    isPair: true,
    library:
      /^(?:created by )?(?:runtime|reflect|sync|testing|net|os|io|encoding|database|context)(?:\/\w+)*\.|\/usr\/local\/go\/src\/|\/libexec\/src\/|\/pkg\/mod\/|\/vendor\//,
  },
  {
    name: 'JavaScript',
    frame:
      /^\s*at (?:.+ \()?\S.*(?::\d+:\d+|native|<anonymous>)\)?$|^\s*at \S+ \(native\)$|^[^\s@]*@\S+:\d+:\d+$/,
    library:
      /[\\/]node_modules[\\/]|[( ]node:|[( ]internal\/|\(native\)|<anonymous>|-extension:\/\//,
  },
  {
    name: '.NET',
    frame:
      /^\s*at (?:\(wrapper [\w-]+\) )?[\w$.<>`+|[\],]+(?: \w+)?\(.*\)(?: in .+:(?:line )?\d+)?/,
    library:
      /^\s*at (?:\(wrapper|(?:System|Microsoft|MS|Windows|Internal|Newtonsoft|NUnit|Xunit|Castle|Autofac|Serilog|NLog|Dapper|Npgsql|MediatR|Grpc|Polly)\.|lambda_method)/,
  },
  {
    name: 'Ruby',
    frame:
      /^\s*(?:\d+: )?(?:from )?(?:\S+\.(?:rb|erb|rake|ru)|<internal:\S+>|\S+\/bin\/\w+):\d+:in [`'].*'$/,
    library: /[\\/](?:gems|rubygems|bundler)[\\/]|[\\/]lib[\\/]ruby[\\/]|<internal:/,
  },
];

const NAMED =
  /^\s*(?:Uncaught |Unhandled exception\. |Exception in thread "[^"]*" )?(?:[\w$]+(?:\.|::))*\w*(?:Exception|Error|Throwable|Failure|Fault|Interrupt|Exit|Panic)(?: \[\w+\])?(?::|$| \()/;
const PANIC = /^(?:panic: |fatal error: |thread '.*' panicked at )|\.rb:\d+:in [`'][^']*': ./;
const CAUSE = /^\s*Caused by: |^\s*-{2,}> /;
const HEADER =
  /^\s*(?:Traceback \(most recent call last\)|stack backtrace|goroutine \d+ \[.*\]|(?:During handling of|The above) .*exception.*):$/;
const MORE = /^\s*\.{3} \d+ (?:more|common frames omitted)|^\s*--- End of .*stack trace/;

/** A line is recognised by its beginning; a longer one is the same kind. */
const MOST_TESTED = 500;

/** Every line of a text up to this length is read; of a longer text, its beginning and its end. */
export const MOST_LETTERS = 40_000;

/** The lines of a text with their kinds; null for a text without frames. The work is bounded for any text. */
export function traceLines(text: string, most = MOST_LETTERS): readonly TraceLine[] | null {
  if (!text.includes('\n')) return null;
  if (text.length <= most) return classified(linesOf(text));
  const head = linesOf(text.slice(0, most / 2)).slice(0, -1);
  const tail = linesOf(text.slice(-most / 2)).slice(1);
  const lost = text.length - [...head, ...tail].reduce((sum, line) => sum + line.length + 1, 0);
  const [first, last] = [classified(head), classified(tail)];
  if (first === null && last === null) return null;
  const gap: TraceLine = { text: String(lost), kind: 'gap' };
  return [...(first ?? plain(head)), gap, ...(last ?? plain(tail))];
}

export function linesOf(text: string): string[] {
  return text.split(/\r?\n/);
}

const plain = (lines: readonly string[]): TraceLine[] =>
  lines.map((text) => ({ text, kind: 'text' }));

function classified(lines: readonly string[]): readonly TraceLine[] | null {
  const tested = lines.map((line) => line.slice(0, MOST_TESTED));
  const kinds: LineKind[] = [];
  let [language, frameAt, hasFrames]: [Language | null, number, boolean] = [null, -1, false];
  tested.forEach((line, at) => {
    if (language?.more?.test(line) === true) {
      if (language.library.test(line)) kinds.fill('library', frameAt);
      kinds.push(kinds[frameAt]!);
      return;
    }
    const wasFrame = language;
    language = LANGUAGES.find((each) => isFrame(each, line, tested[at + 1])) ?? null;
    if (language !== null) {
      [frameAt, hasFrames] = [at, true];
      kinds.push(language.library.test(line) ? 'library' : 'own');
    } else kinds.push(otherKind(line, wasFrame));
  });
  return hasFrames ? lines.map((text, at) => ({ text, kind: kinds[at]! })) : null;
}

function isFrame(language: Language, line: string, next = ''): boolean {
  if (!language.frame.test(line)) return false;
  return language.isPair !== true || language.more?.test(next) === true;
}

function otherKind(line: string, after: Language | null): LineKind {
  if (CAUSE.test(line)) return 'cause';
  if (HEADER.test(line)) return 'header';
  if (MORE.test(line)) return 'more';
  // Python names the exception below its frames.
  const isBelow = after?.name === 'Python' && /^\S/.test(line);
  return isBelow || NAMED.test(line) || PANIC.test(line) ? 'exception' : 'text';
}

/** Folds consecutive lines of library code, with what the logger left out there. */
export function traceParts(lines: readonly TraceLine[]): TracePart[] {
  const parts: { kind: LineKind; lines: TraceLine[]; frames: number }[] = [];
  for (const line of lines) {
    const last = parts.at(-1);
    const isRest = line.kind === 'library' || (line.kind === 'more' && last?.kind === 'library');
    if (isRest && last?.kind === 'library') last.lines.push(line);
    else parts.push({ kind: line.kind, lines: [line], frames: 0 });
  }
  return parts.flatMap((part) => {
    const isFolded = part.kind === 'library' && part.lines.length > 1;
    if (isFolded) return [{ ...part, frames: frameCount(part.lines) }];
    return part.lines.map((line) => ({ kind: line.kind, lines: [line], frames: 0 }));
  });
}

function frameCount(lines: readonly TraceLine[]): number {
  const isFrame = ({ text }: TraceLine) =>
    LANGUAGES.some(
      ({ frame, more }) => frame.test(text.slice(0, MOST_TESTED)) && !more?.test(text),
    );
  return Math.max(1, lines.filter(isFrame).length);
}

/** The index of the part that names the root cause; -1 if none does. */
function causeOf(parts: readonly TracePart[]): number {
  const deepest = parts.findLastIndex(({ kind }) => kind === 'cause');
  return deepest >= 0 ? deepest : parts.findLastIndex(({ kind }) => kind === 'exception');
}

/** As many parts as a row has lines: from the first on, and always the cause. */
export function rowParts(lines: readonly TraceLine[], most: number): TracePart[] {
  const isShown = ({ kind }: TracePart) => kind !== 'header' && kind !== 'gap';
  const parts = traceParts(lines).filter((part, at) => at === 0 || isShown(part));
  const cause = causeOf(parts);
  if (most < 2 || cause < most) return parts.slice(0, most);
  return [...parts.slice(0, most - 1), parts[cause]!];
}

export interface LinePart {
  readonly text: string;
  readonly role: 'exception' | 'message' | 'place' | null;
}

const PLACE =
  /(?:"[^"]+", line \d+)|(?:[^\s()[\]"']+\.\w+:(?:line )?\d+(?::\d+)?)|(?:\b(?:Native Method|Unknown Source)\b)/;
const TYPE =
  /^(\s*(?:Caused by: |Suppressed: |-+> |Uncaught |Exception in thread "[^"]*" )?)([^\s:]+(?:::[^\s:]+)*)(.*)$/s;

/** The parts of a line that have colours: exception and message, or the file and line of a frame. */
export function lineParts({ text, kind }: TraceLine): LinePart[] {
  const isFrame = kind === 'own' || kind === 'library';
  if (!isFrame && kind !== 'exception' && kind !== 'cause') return [{ text, role: null }];
  const tested = text.slice(0, MOST_TESTED);
  const found = isFrame ? PLACE.exec(tested) : TYPE.exec(tested);
  if (found === null) return [{ text, role: null }];
  const parts: LinePart[] = isFrame
    ? [
        { text: text.slice(0, found.index), role: null },
        { text: found[0], role: 'place' },
        { text: text.slice(found.index + found[0].length), role: null },
      ]
    : [
        { text: found[1]!, role: null },
        { text: found[2]!, role: 'exception' },
        { text: text.slice(found[1]!.length + found[2]!.length), role: 'message' },
      ];
  return parts.filter((part) => part.text !== '');
}
