// Servers as the operator has them in the config, seen and changed from outside.
import type { JsonObject } from 'toolwire'

/** A server as it stands in the file: of what is secret there is a placeholder, which means "as it is" when it comes back. */
export type EditableServer = { readonly name: string; readonly file: string; readonly entry: JsonObject }

export type ServerChange =
  | { readonly what: 'add'; readonly name: string; readonly entry: JsonObject }
  | { readonly what: 'change'; readonly name: string; readonly entry: JsonObject }
  | { readonly what: 'remove'; readonly name: string }

/** What a change comes to, without secrets. */
export type ServerPlan = {
  readonly file: string
  readonly diff: string
  /** What will be started, word by word, or where the server is; none where it is taken out. */
  readonly target?: JsonObject
  /** What somebody should look at before it is started. */
  readonly risks: readonly string[]
  /** Stands for exactly this change of exactly this file. */
  readonly confirm: string
}

export type ServerEdits = {
  /** Undefined where the file has no such server. */
  entry(id: string): Promise<EditableServer | undefined>
  plan(change: ServerChange): Promise<ServerPlan>
  /** Writes what was planned, and gives where the old file is kept; undefined where it would be another change by now. */
  apply(change: ServerChange, confirm: string): Promise<(ServerPlan & { readonly backup?: string }) | undefined>
}

/** Why a change cannot be made: what is wrong with it, or with making changes here at all. */
export class ServerChangeFailure extends Error {
  override name = 'ServerChangeFailure'
  readonly why: 'unfit' | 'elsewhere'

  constructor(why: ServerChangeFailure['why'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.why = why
  }
}
