import type { Json, JsonObject } from '../../json.js'
import type { Icon } from '../../tools/content.js'
import type { Hints, LongRunning } from '../../tools/tool.js'

/** A tool of a server, as it was listed. All of its text was written by a stranger. */
export interface RemoteTool {
  readonly name: string
  /** What to show to a person. */
  readonly displayName: string
  readonly description: string | undefined
  readonly inputSchema: JsonObject
  readonly outputSchema: Json | undefined
  /** What to act on: the server's word if it is trusted, and the worst case if not. */
  readonly hints: Readonly<Required<Hints>>
  /** The server's word, believed or not. */
  readonly claims: Readonly<Hints>
  readonly icons: readonly Icon[]
  readonly taskSupport: LongRunning | undefined
  readonly _meta: JsonObject | undefined
  /** The whole definition as it came. */
  readonly definition: JsonObject
}
