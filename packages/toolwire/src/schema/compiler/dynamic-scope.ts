import type { SchemaResource } from './schema-resource.js'

/** The dynamic scope: every schema resource entered on the way here, innermost first. */
export type DynamicScope = { readonly resource: SchemaResource; readonly outer: DynamicScope | undefined }
