/** Names what each provider is given, sends and gets appended. */
export type * as providers from './providers/wire-types.js'
export { type Toolkit, toolkit } from './toolkit.js'
