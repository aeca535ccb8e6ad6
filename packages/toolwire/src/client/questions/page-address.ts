// Warnings about an address, for a person to read before they agree to open it.
import type { Json } from '../../json.js'

type PageAddress = { readonly url: string; readonly host: string; readonly warnings: readonly string[] }

/** Returns undefined for anything but a web page, because other schemes can run programs or read files. */
export function readPageAddress(value: Json | undefined): PageAddress | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined
  const url = new URL(value)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  return { url: url.href, host: url.host, warnings: warningsFor(url, value) }
}

function warningsFor(url: URL, written: string): string[] {
  const odd: [boolean, string][] = [
    [url.protocol === 'http:', 'the connection is not encrypted'],
    [/(^|\.)xn--/.test(url.hostname), 'the name of the host holds letters that may look like others'],
    [url.username !== '' || url.password !== '', 'the address holds a user name, which can make it look like another host'],
    [/^[\d.]+$|^\[/.test(url.hostname), 'the host is a bare number'],
    [url.port !== '', 'the port is not the usual one'],
    [
      /[\u0000-\u0020\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/.test(written),
      'the address holds hidden characters',
    ],
  ]
  return odd.flatMap(([is, warning]) => (is ? [warning] : []))
}
