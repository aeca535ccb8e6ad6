/** The types of each provider's tools, responses and messages to append. */
export type * as providers from './providers/wire-types.js'
export { type Toolkit, toolkit } from './toolkit.js'
