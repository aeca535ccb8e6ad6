import type { HttpExchange } from '../http-exchange.js'

/** Headers that proxies add. With one of them, the address of the connection is not the client's. */
export const forwardingHeaders: readonly string[] = [
  ...['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-forwarded-server', 'via'],
  ...[
    'x-real-ip',
    'x-client-ip',
    'x-cluster-client-ip',
    'true-client-ip',
    'cf-connecting-ip',
    'cdn-loop',
    'x-envoy-external-address',
  ],
]

/** The address of the client; undefined if the runtime does not tell it, or if the address is a proxy's. */
export const clientAddress = ({ header, remote }: HttpExchange): string | undefined =>
  forwardingHeaders.some((name) => header(name) !== undefined) ? undefined : remote
