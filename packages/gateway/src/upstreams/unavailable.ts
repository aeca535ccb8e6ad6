/** Thrown when an upstream is unavailable; nothing was sent. */
export class UpstreamUnavailable extends Error {
  override name = 'UpstreamUnavailable'
  readonly retryAfterMs: number | undefined

  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs?: number } = {}) {
    super(message, options)
    this.retryAfterMs = options.retryAfterMs
  }
}
