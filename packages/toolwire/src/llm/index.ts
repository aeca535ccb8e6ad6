export type * as providers from './providers/wire-types.js'
export { type Toolkit, toolkit } from './toolkit.js'
