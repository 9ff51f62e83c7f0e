import { expect, it } from 'vitest';

import { lineParts, rowParts, traceLines, traceParts } from './stacktrace';

const JAVA = `Checkout failed for order 1000
org.springframework.web.util.NestedServletException: Request processing failed
\tat org.springframework.web.servlet.FrameworkServlet.processRequest(FrameworkServlet.java:1014)
\tat javax.servlet.http.HttpServlet.service(HttpServlet.java:681) ~[servlet-api.jar:na]
\tat com.acme.shop.CheckoutController.pay(CheckoutController.java:88)
\tat java.base/jdk.internal.reflect.NativeMethodAccessorImpl.invoke0(Native Method)
\tat java.base/java.lang.Thread.run(Thread.java:829)
Caused by: java.lang.IllegalStateException: nope
\tat com.acme.shop.payment.PaymentClient.charge(PaymentClient.java:142)
\t... 42 more
Caused by: java.net.SocketTimeoutException: Read timed out
\tat java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:283)
\t... 51 more`;

const PYTHON = `Job 3 failed
Traceback (most recent call last):
  File "/usr/lib/python3.11/site-packages/celery/app/trace.py", line 451, in trace_task
    R = retval = fun(*args, **kwargs)
                 ^^^^^^^^^^^^^^^^^^^^
  File "/srv/app/jobs.py", line 42, in run
    charge(order)
payment.Declined: card declined`;

const kinds = (text: string) => traceLines(text)?.map(({ kind }) => kind);
const shown = (text: string, lines: number) =>
  rowParts(traceLines(text)!, lines).map(({ lines, frames }) =>
    frames > 0 ? `${frames} frames` : lines[0]!.text.trim(),
  );

it.each([
  ['Java', '\tat com.acme.Shop.pay(Shop.java:8)', '\tat java.util.List.get(List.java:1)'],
  ['Java', '\tat app//com.acme.Shop$1.run(Shop.kt:8)', '\tat org.apache.x.Y.z(Unknown Source)'],
  [
    'JavaScript',
    '    at charge (/srv/app/src/payment.js:17:11)',
    '    at Layer.handle [as handle_request] (/srv/node_modules/express/lib/layer.js:95:5)',
  ],
  [
    'JavaScript',
    '    at async file:///srv/app/index.mjs:3:1',
    '    at process.processTicksAndRejections (node:internal/process/task_queues:96:5)',
  ],
  ['JavaScript', 'pay@https://shop.example/app.js:3:14', '    at new Promise (<anonymous>)'],
  [
    '.NET',
    '   at Acme.Shop.Checkout.Pay(Order order) in C:\\src\\Checkout.cs:line 42',
    '   at System.Threading.Tasks.Task.Execute()',
  ],
  [
    'Ruby',
    "\tfrom /srv/app/models/order.rb:12:in `pay'",
    "\tfrom /usr/lib/ruby/gems/3.2.0/gems/rack-2.2/lib/rack.rb:9:in `call'",
  ],
])('tells own frames of %s from those of libraries', (_, own, library) => {
  expect(kinds(`boom\n${own}\n${library}`)).toEqual(['text', 'own', 'library']);
});

it('recognises frames of two lines', () => {
  const go = `panic: nil order

goroutine 1 [running]:
main.(*Shop).Pay(0xc000012345, 0x1)
\t/srv/app/shop.go:12 +0x1d
net/http.(*conn).serve(0xc0001)
\t/usr/local/go/src/net/http/server.go:1995 +0x612
created by net/http.(*Server).Serve in goroutine 1
\t/usr/local/go/src/net/http/server.go:3089 +0x5ed`;
  const two = (kind: string) => [kind, kind];
  expect(kinds(go)).toEqual([
    'exception',
    'text',
    'header',
    ...two('own'),
    ...two('library'),
    ...two('library'),
  ]);
  const rust = `thread 'main' panicked at src/main.rs:4:5:
stack backtrace:
   0: std::panicking::begin_panic
             at /rustc/90c5418/library/std/src/panicking.rs:616:12
   1: shop::pay
             at ./src/main.rs:4:5`;
  expect(kinds(rust)).toEqual(['exception', 'header', ...two('library'), ...two('own')]);
  expect(kinds(PYTHON)?.slice(1)).toEqual([
    'header',
    'library',
    'library',
    'library',
    'own',
    'own',
    'exception',
  ]);
});

it('folds library frames, and counts frames and not lines', () => {
  const parts = traceParts(traceLines(JAVA)!);
  expect(parts.map(({ kind, frames }) => (frames > 0 ? frames : kind))).toEqual([
    'text',
    'exception',
    2,
    'own',
    2,
    'cause',
    'own',
    'more',
    'cause',
    1,
  ]);
  expect(traceParts(traceLines(PYTHON)!).map(({ frames }) => frames)).toContain(1);
});

it('shows the root cause in any number of lines', () => {
  const cause = 'Caused by: java.net.SocketTimeoutException: Read timed out';
  expect(shown(JAVA, 5)).toEqual([
    'Checkout failed for order 1000',
    'org.springframework.web.util.NestedServletException: Request processing failed',
    '2 frames',
    'at com.acme.shop.CheckoutController.pay(CheckoutController.java:88)',
    cause,
  ]);
  expect(shown(JAVA, 2)).toEqual(['Checkout failed for order 1000', cause]);
  expect(shown(PYTHON, 2)).toEqual(['Job 3 failed', 'payment.Declined: card declined']);
  expect(shown('TypeError: x\n    at pay (/srv/a.js:1:2)', 5)).toEqual([
    'TypeError: x',
    'at pay (/srv/a.js:1:2)',
  ]);
});

it.each(['one line', 'at home\nat work', 'SELECT *\n  FROM a\n WHERE b(c)', '{\n  "at": "x"\n}'])(
  'takes %j for no trace',
  (text) => expect(traceLines(text)).toBeNull(),
);

it('names the parts of a line that have colours', () => {
  const parts = (text: string, kind: 'cause' | 'exception' | 'own') =>
    lineParts({ text, kind }).map(({ text, role }) => [role, text]);
  expect(parts('Caused by: a.b.CError: no', 'cause')).toEqual([
    [null, 'Caused by: '],
    ['exception', 'a.b.CError'],
    ['message', ': no'],
  ]);
  expect(parts('\tat a.B.c(B.java:12)', 'own')).toEqual([
    [null, '\tat a.B.c('],
    ['place', 'B.java:12'],
    [null, ')'],
  ]);
  expect(parts('  File "/srv/a.py", line 3, in run', 'own')[1]).toEqual([
    'place',
    '"/srv/a.py", line 3',
  ]);
  expect(parts('   at A.B(C d) in C:\\s\\a.cs:line 42', 'own')[1]).toEqual([
    'place',
    'C:\\s\\a.cs:line 42',
  ]);
});

it('looks at a bounded part of a text of any length, and finds the cause at its end', () => {
  const frame = '\tat com.acme.shop.CheckoutController.pay(CheckoutController.java:88)\n';
  const long = `a.BException: x\n${frame.repeat(10_000)}Caused by: c.DError: y\n${frame}`;
  const lines = traceLines(long)!;
  expect(lines.length).toBeLessThan(1_000);
  expect(lines.some(({ kind }) => kind === 'gap')).toBe(true);
  expect(rowParts(lines, 3).at(-1)!.lines[0]!.text).toBe('Caused by: c.DError: y');
});

it.each(['\tat ', ' (', 'a.', '@', 'a::', '/x', '"', 'File "', ' at 1: '])(
  'reads lines of nothing but %j before the test times out',
  (piece) => {
    const line = `${piece.repeat(100_000 / piece.length)}\n`;
    expect(traceLines(line.repeat(20), 10_000_000)?.length ?? 21).toBe(21);
  },
);
