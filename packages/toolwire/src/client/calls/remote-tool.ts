import type { Json, JsonObject } from '../../json.js'
import type { Icon } from '../../tools/content.js'
import type { Hints, LongRunning } from '../../tools/tool.js'

/** A tool as its server listed it. All of its text is untrusted. */
export interface RemoteTool {
  readonly name: string
  readonly displayName: string
  readonly description: string | undefined
  readonly inputSchema: JsonObject
  readonly outputSchema: Json | undefined
  /** The hints to act on: the server's claims if it is trusted, the worst case if not. */
  readonly hints: Readonly<Required<Hints>>
  /** The server's claims, trusted or not. */
  readonly claims: Readonly<Hints>
  readonly icons: readonly Icon[]
  readonly taskSupport: LongRunning | undefined
  readonly _meta: JsonObject | undefined
  readonly definition: JsonObject
}
