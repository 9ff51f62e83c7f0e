// `npm run audit`: dependencies against advisories, licences and sources. It needs a network and cargo-deny
// (`cargo install cargo-deny`), so `npm test` leaves it out. What can be checked in the lock files themselves is in
// tests/tests/tidy.rs.
import { Stop, main, onPath, run, say } from './run.mjs';

await main(async () => {
  if (!onPath('cargo-deny'))
    throw new Stop(
      'cargo-deny is needed. Install it with `cargo install cargo-deny` and try again.',
    );
  await run('cargo', ['deny', 'check', '--hide-inclusion-graph']);
  say('Crates: checked against deny.toml.');
  // A registry of one's own may have no advisories; npm then says so, and this fails.
  await run('npm', ['audit', '--package-lock-only']);
  say('npm packages: checked against the advisories of their registry.');
});
