// The browser that tests drive: the one that this machine has.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Undefined where there is none. */
export const program: string | undefined = process.env.TOOLWIRE_CHROMIUM ?? places.find((place) => existsSync(place))

export const missing =
  'Chromium is not here, so nothing in a browser is shown: apt-get install chromium, or name the program in TOOLWIRE_CHROMIUM'

/** Of the names that tests use, and of no others: nothing leaves this machine. */
const names = 'MAP rebound.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'

/** What it does without: Chromium takes one such list, so those stand here, too, that Playwright switches off. */
const withoutFeatures = [
  // A process of its own for each window, in which nobody types an address.
  'WebUIOmniboxPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  // A process ahead of the next page, which costs as much as a page.
  'SpareRendererForSitePerProcess',
]

export async function launch(): Promise<Browser> {
  if (program === undefined) throw new Error(missing)
  // Pages of one site and one visitor share a process; those of another site or visitor never do.
  const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage', '--renderer-process-limit=1']
  const silence = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
  return chromium.launch({
    executablePath: program,
    args: [...flags, ...silence, `--host-resolver-rules=${names}`, `--disable-features=${withoutFeatures}`],
    timeout: 60_000,
  })
}
