import { codes, RpcError } from '../jsonrpc/error.js'
import type { Request } from '../jsonrpc/message.js'
import { definitionError } from '../tools/checks/definition-error.js'
import { metaKeys, metaOf } from './meta-keys.js'
import { protocolCodes } from './protocol-codes.js'
import type { Revision } from './revision.js'

/** Thrown for a request that is not well formed in its revision; over HTTP, a bad request. */
export class EnvelopeError extends RpcError {
  override name = 'EnvelopeError'
}

/** The revisions of one endpoint, newest first; finds the revision of a request. */
export class RevisionSet {
  readonly all: readonly Revision[]
  /** Revisions that `initialize` can negotiate. */
  readonly handshake: readonly Revision[]
  readonly perRequest: readonly Revision[]
  readonly versions: readonly string[]
  readonly #byVersion: ReadonlyMap<string, Revision>

  constructor(all: readonly Revision[]) {
    this.all = all
    this.handshake = all.filter((revision) => revision.style === 'handshake')
    this.perRequest = all.filter((revision) => revision.style === 'per-request')
    this.versions = all.map((revision) => revision.version)
    this.#byVersion = new Map(all.map((revision) => [revision.version, revision]))
  }

  /** Returns the subset with the given versions. */
  choose(versions: readonly string[] = this.versions): RevisionSet {
    const unknown = versions.find((version) => !this.find(version))
    if (unknown !== undefined) throw definitionError(`There is no revision "${unknown}"; there are: ${this.versions.join(', ')}`)
    if (versions.length === 0) throw definitionError('A server needs at least one revision to speak')
    return new RevisionSet(this.all.filter(({ version }) => versions.includes(version)))
  }

  find(version: unknown): Revision | undefined {
    return typeof version === 'string' ? this.#byVersion.get(version) : undefined
  }

  /** The revision that is assumed for a request which names none. */
  get assumedRevision(): Revision | undefined {
    // spec 2025-06-18, basic/transports#protocol-version-header: assume the revision before the header existed.
    return this.handshake.find((revision) => !revision.http.versionHeader && revision.http.resumable) ?? this.handshake[0]
  }

  /** Does the request describe itself, so that it belongs to no session? */
  isPerRequest(request: { params?: Request['params'] }, versionHeader?: string): boolean {
    const declared = metaOf(request.params)
    return (declared !== undefined && metaKeys.protocolVersion in declared) || this.find(versionHeader)?.style === 'per-request'
  }

  /** Returns the revision of a self-describing request. Over HTTP, the version header must agree with the body. */
  revisionOf(request: Request, versionHeader: { readonly value: string | undefined } | undefined): Revision {
    const declared = metaOf(request.params)?.[metaKeys.protocolVersion]
    if (versionHeader && declared !== undefined && versionHeader.value !== declared) {
      const fault = versionHeader.value === undefined ? 'is missing' : 'differs from the version in _meta'
      throw new RpcError(protocolCodes.headerMismatch, `The MCP-Protocol-Version header ${fault}`)
    }
    if (typeof declared !== 'string')
      throw new EnvelopeError(codes.invalidParams, `params._meta["${metaKeys.protocolVersion}"] must be a version string`)
    const revision = this.find(declared)
    if (revision?.style !== 'per-request') throw this.unsupported(declared)
    return revision
  }

  unsupported(requested: string): RpcError {
    const message = `Unsupported protocol version; supported: ${this.versions.join(', ')}`
    return new RpcError(protocolCodes.unsupportedVersion, message, { data: { supported: this.versions, requested } })
  }

  /** The revision for `initialize`: the version asked for, or else the newest with a handshake. */
  negotiate(asked: unknown): Revision {
    const revision = this.find(asked)
    const settled = revision?.style === 'handshake' ? revision : this.handshake[0]
    if (!settled) throw this.unsupported(String(asked))
    return settled
  }
}
