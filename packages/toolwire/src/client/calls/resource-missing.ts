// Reads resource contents and completions, and checks that they have the form of their types.
import { isObject, type Json, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { protocolCodes } from '../../revisions/protocol-codes.js'
import type { ResourceContents } from '../../tools/content.js'
import type { Completion } from '../client.js'
import { CallFailure } from '../errors.js'

/** Makes one error of the two codes that revisions use for a missing resource. */
export function asResourceMissing(thrown: unknown, uri: string): unknown {
  const isMissing = thrown instanceof RpcError && missingCodes.includes(thrown.code)
  return isMissing ? new ResourceMissing(uri, thrown) : thrown
}

const missingCodes: readonly number[] = [protocolCodes.resourceMissing, codes.invalidParams]

/**
 * The server has no such resource.
 *
 * @example
 * ```ts
 * const missing = (thrown: unknown) => (thrown instanceof ResourceMissing ? thrown.uri : undefined)
 * ```
 */
export class ResourceMissing extends RpcError {
  override name = 'ResourceMissing'
  readonly uri: string

  constructor(uri: string, cause: RpcError) {
    super(cause.code, cause.message, { data: cause.data, cause })
    this.uri = uri
  }
}

export function resourceContentsIn(contents: Json | undefined): readonly ResourceContents[] {
  if (!Array.isArray(contents)) throw new CallFailure('bad_response', 'The server sent a resource without contents')
  const readable = contents.filter(
    (one) => isObject(one) && typeof one.uri === 'string' && (typeof one.text === 'string' || typeof one.blob === 'string'),
  )
  return readable as unknown as ResourceContents[] // just checked
}

export function completionIn({ completion }: JsonObject): Completion {
  const { values, total, hasMore } = isObject(completion) ? completion : {}
  if (!Array.isArray(values)) throw new CallFailure('bad_response', 'The server sent a completion without values')
  return {
    values: values.filter((value) => typeof value === 'string'),
    ...(typeof total === 'number' && { total }),
    ...(typeof hasMore === 'boolean' && { hasMore }),
  }
}
