import type { CredentialsRequest } from '../../peer/client-transport.js'
import type { ChallengeDemands } from './challenge.js'
import { type AccessSettings, type HeldAccess, type RenewalReason, renewTokens } from './renew-tokens.js'
import { isStale, type Tokens } from './tokens/tokens.js'

/** Time without another early renewal after one that failed. */
const earlyRenewalPauseMs = 20_000

export class ServerAccess {
  readonly #server: string
  readonly #settings: AccessSettings
  #loading: Promise<void> | undefined
  #held: Partial<HeldAccess> = {}
  #renewal: Promise<boolean> | undefined
  /** The earliest time for an early renewal, as of `performance.now()`. */
  #nextEarlyRenewal = 0

  constructor(server: string, settings: AccessSettings) {
    this.#server = server
    this.#settings = settings
  }

  async headers(request: CredentialsRequest): Promise<Record<string, string>> {
    await this.#ready()
    const { tokens } = this.#held
    if (!tokens) return {}
    if (tokens.type === 'Bearer') return { authorization: authorizationOf(tokens) }
    return (await this.#settings.proofs()).headers(tokens.access, request)
  }

  /** True if the headers were made before the tokens that are in use now. */
  isOutdated(headers: Readonly<Record<string, string>>): boolean {
    const { tokens } = this.#held
    return tokens !== undefined && !Object.values(headers).includes(authorizationOf(tokens))
  }

  async storeNonce(url: string, nonce: string): Promise<void> {
    if (this.#held.tokens?.type === 'DPoP') (await this.#settings.proofs()).storeNonce(url, nonce)
  }

  get isRenewing(): boolean {
    return this.#renewal !== undefined
  }

  /** Renews the tokens, once for all concurrent callers. Returns false if that was not possible. */
  async renew(asked: ChallengeDemands, reason: RenewalReason): Promise<boolean> {
    // A renewal for a lesser reason may fail where this one can succeed.
    if (this.#renewal && ((await this.#renewal) || reason === 'stale')) return this.#held.tokens !== undefined
    this.#renewal ??= this.#renewed(asked, reason).finally(() => {
      this.#renewal = undefined
    })
    return this.#renewal
  }

  /** Waits for a renewal in progress, loads stored tokens, and renews tokens before they expire if no person needs to be asked. */
  async #ready(): Promise<void> {
    // The caller that asked for the renewal gets its error; here only its end matters.
    await this.#renewal?.catch(() => undefined)
    this.#loading ??= this.#load().catch((thrown) => {
      this.#loading = undefined
      throw thrown
    })
    await this.#loading
    const { tokens, record } = this.#held
    if (!tokens || !isStale(tokens) || !(tokens.refresh || this.#settings.grant.unattended)) return
    if (!this.#renewal && performance.now() < this.#nextEarlyRenewal) return
    this.#nextEarlyRenewal = performance.now() + earlyRenewalPauseMs
    const asked = { dpop: tokens.type === 'DPoP', resourceMetadata: record?.resourceMetadata }
    // The token may still be valid. If it is not, the renewal after its refusal reports the error.
    await this.renew(asked, 'stale').catch(() => false)
  }

  async #load(): Promise<void> {
    const { grant, vault } = this.#settings
    const issuer = grant.client?.issuer
    const record = await vault.access.get(this.#server)
    if (!record || (issuer !== undefined && issuer !== record.issuer)) return
    this.#held = { record, tokens: await vault.tokens.get(record.issuer, record.resource) }
  }

  async #renewed(asked: ChallengeDemands, reason: RenewalReason): Promise<boolean> {
    const held = await renewTokens(this.#settings, { server: this.#server, asked, reason, current: this.#held })
    if (!held) return false
    this.#held = held
    this.#nextEarlyRenewal = 0
    return true
  }
}

const authorizationOf = ({ type, access }: Tokens): string => `${type} ${access}`
