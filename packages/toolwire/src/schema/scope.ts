import type { Resource } from './resource.js'

/** The dynamic scope: every schema resource entered on the way here, innermost first. */
export type Scope = { readonly resource: Resource; readonly outer: Scope | undefined }
