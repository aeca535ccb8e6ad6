// The installed Chromium that the tests drive.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The path of the browser, or undefined if none is installed. */
export const program: string | undefined = process.env.TOOLWIRE_CHROMIUM ?? places.find((place) => existsSync(place))

export const missing =
  'Chromium is not here, so nothing in a browser is shown: apt-get install chromium, or name the program in TOOLWIRE_CHROMIUM'

/** Resolves only the names that tests use, so that no request leaves this machine. */
const names = 'MAP rebound.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'

/** Features to switch off. Chromium uses only one such list, so this one repeats the entries of Playwright. */
const withoutFeatures = [
  // starts an additional process for each window, for an address bar that nobody uses
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
  // starts a process for the next page in advance, which costs as much as a page
  'SpareRendererForSitePerProcess',
]

export async function launch(): Promise<Browser> {
  if (program === undefined) throw new Error(missing)
  // Pages of one site and one visitor share a process. Pages of other sites or visitors never share it.
  const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage', '--renderer-process-limit=1']
  const silence = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
  return chromium.launch({
    executablePath: program,
    args: [...flags, ...silence, `--host-resolver-rules=${names}`, `--disable-features=${withoutFeatures}`],
    timeout: 60_000,
  })
}
