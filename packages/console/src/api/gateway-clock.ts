// The gateway's clock, because the times that it sends are compared with the current time, and the browser's clock may be wrong.

/** The lead of the gateway's clock over the one here, in milliseconds. */
let aheadMs = 0

/** The `Date` of a response has whole seconds, so a smaller difference cannot be measured. */
const measurableMs = 1_500
/** The `Date` of a slower response may be from its beginning or its end. */
const longestMs = 1_000

/** Milliseconds since 1970 at the gateway. */
export const gatewayNow = (): number => Date.now() + aheadMs

/** Reads the clock of the gateway from a response to a request that took `tookMs`. */
export function noteGatewayTime({ headers }: Pick<Response, 'headers'>, tookMs: number): void {
  const lead = Date.parse(headers.get('date') ?? '') + 500 - Date.now()
  if (!(tookMs <= longestMs && Math.abs(lead - aheadMs) > measurableMs)) return
  aheadMs = Math.abs(lead) > measurableMs ? lead : 0
}
