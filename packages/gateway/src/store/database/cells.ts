// Values as databases store them. This file loads no database.

export type Cell = string | number | null | Uint8Array

type Present<Row> = { readonly [C in keyof Row as null extends Row[C] ? never : C]: Row[C] } & {
  readonly [C in keyof Row as null extends Row[C] ? C : never]?: NonNullable<Row[C]>
}

export const withoutNulls = <Row extends object>(row: Row): Present<Row> =>
  Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== null)) as Present<Row>

/** Converts bytes, which the driver returns as another type for a single row than for several rows. */
export const bytesIn = (cell: Uint8Array | ArrayBuffer): Uint8Array => (cell instanceof ArrayBuffer ? new Uint8Array(cell) : cell)
