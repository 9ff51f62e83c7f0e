// The system packages that Timberline is built and tested with, by their name on each system.
import { existsSync } from 'node:fs';

import { Stop, ask, onPath, run, say } from './run.mjs';

const chromiumNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The browser for the tests. */
export function chromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  return chromiumNames.map(onPath).find(Boolean) ?? null;
}

const library = (name) => () => ask('pkg-config', ['--exists', name]) !== null;
const command = (name) => () => onPath(name) !== null;

// Checks for the file that is used, not the package name, so that any way of installing it counts.
const toBuild = [
  { present: command('cc'), apt: 'build-essential', dnf: 'gcc', pacman: 'base-devel' },
  { present: command('make'), apt: 'build-essential', dnf: 'make', pacman: 'base-devel' },
  {
    present: command('pkg-config'),
    apt: 'pkg-config',
    dnf: 'pkgconf-pkg-config',
    pacman: 'pkgconf',
  },
];

// Needed to build the window; a program without a window needs none of it.
const toBuildWindow = [
  {
    present: library('webkit2gtk-4.1'),
    apt: 'libwebkit2gtk-4.1-dev',
    dnf: 'webkit2gtk4.1-devel',
    pacman: 'webkit2gtk-4.1',
  },
];

const toTest = [
  {
    present: command('Xvfb'),
    apt: 'xvfb',
    dnf: 'xorg-x11-server-Xvfb',
    pacman: 'xorg-server-xvfb',
  },
  {
    present: command('WebKitWebDriver'),
    apt: 'webkit2gtk-driver',
    dnf: 'webkit2gtk4.1-devel',
    pacman: 'webkit2gtk-4.1',
  },
  {
    present: () => chromium() !== null,
    apt: 'chromium',
    dnf: 'chromium',
    pacman: 'chromium',
  },
  {
    // Needed for the environment of the other programs that read a case.
    present: () => ask('/usr/bin/python3', ['-c', 'import venv, ensurepip']) !== null,
    apt: 'python3-venv',
    dnf: 'python3',
    pacman: 'python',
  },
  { present: command('curl'), apt: 'curl', dnf: 'curl', pacman: 'curl' },
  { present: command('logger'), apt: 'bsdutils', dnf: 'util-linux', pacman: 'util-linux' },
  { present: command('zstd'), apt: 'zstd', dnf: 'zstd', pacman: 'zstd' },
  { present: command('xdotool'), apt: 'xdotool', dnf: 'xdotool', pacman: 'xdotool' },
  {
    present: () =>
      ask('/usr/bin/python3', ['-c', 'import gi; gi.require_version("Gtk", "3.0")']) !== null,
    apt: ['python3-gi', 'gir1.2-gtk-3.0'],
    dnf: ['python3-gobject', 'gtk3'],
    pacman: ['python-gobject', 'gtk3'],
  },
];

const advice = {
  darwin: 'On macOS run: xcode-select --install',
  win32:
    'On Windows install the "Desktop development with C++" workload of the Visual Studio Build Tools,\n' +
    'and the WebView2 runtime where Windows does not bring it.',
};

const names = (needs, system) => [...new Set(needs.flatMap((need) => need[system]))];

function list(needs) {
  return [
    'Timberline needs system packages that are not installed. Please install them and run this again:',
    `  Debian, Ubuntu:  sudo apt-get install ${names(needs, 'apt').join(' ')}`,
    `  Fedora:          sudo dnf install ${names(needs, 'dnf').join(' ')}`,
    `  Arch:            sudo pacman -S --needed ${names(needs, 'pacman').join(' ')}`,
  ].join('\n');
}

async function aptInstall(missing) {
  const packages = names(missing, 'apt');
  const isRoot = process.getuid() === 0;
  if (!isRoot && !onPath('sudo')) throw new Stop(list(missing));
  // Another apt can hold the lock on a machine that has just started, so this waits for it.
  const apt = (...args) => {
    const words = ['apt-get', '-o', 'DPkg::Lock::Timeout=900', ...args];
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    return isRoot
      ? run(words[0], words.slice(1), { env })
      : run('sudo', ['DEBIAN_FRONTEND=noninteractive', ...words]);
  };
  say(`Installing system packages: ${packages.join(' ')}`);
  await apt('update', '-q');
  await apt('install', '-y', '-q', '--no-install-recommends', ...packages);
}

/** Installs missing system packages with apt; on other systems it lists them. */
export async function systemPackages({ tests, window }) {
  if (process.platform !== 'linux') {
    if (process.platform === 'darwin' && !onPath('cc')) throw new Stop(advice.darwin);
    if (process.platform === 'win32') say(advice.win32);
    return;
  }
  const needed = [...toBuild, ...(window ? toBuildWindow : []), ...(tests ? toTest : [])];
  const missing = needed.filter((need) => !need.present());
  if (missing.length === 0) return;
  if (!existsSync('/usr/bin/apt-get')) throw new Stop(list(missing));
  await aptInstall(missing);
  const still = missing.filter((need) => !need.present());
  if (still.length > 0) throw new Stop(list(still));
}
