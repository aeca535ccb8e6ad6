// Security headers of every response: no foreign content, no inline code, and no frames.
import type { ServerResponse } from 'node:http'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  'media-src blob: data:',
  "connect-src 'self'",
  "font-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** Browser features that the console never uses. */
const denied = ['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'magnetometer', 'microphone', 'midi']
  .concat(['payment', 'publickey-credentials-get', 'screen-wake-lock', 'usb', 'xr-spatial-tracking'])
  .map((feature) => `${feature}=()`)
  .join(', ')

const headers: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': denied,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export function setSecurityHeaders(res: ServerResponse): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
}
