// Values as databases keep them; nothing here loads one.

/** A value as SQLite keeps it. */
export type Cell = string | number | null | Uint8Array

type Present<Row> = { readonly [C in keyof Row as null extends Row[C] ? never : C]: Row[C] } & {
  readonly [C in keyof Row as null extends Row[C] ? C : never]?: NonNullable<Row[C]>
}

/** A row without the columns that have no value. */
export const withoutNulls = <Row extends object>(row: Row): Present<Row> =>
  Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== null)) as Present<Row>

/** A row alone has its bytes in another form than one of many. */
export const bytesIn = (cell: Uint8Array | ArrayBuffer): Uint8Array => (cell instanceof ArrayBuffer ? new Uint8Array(cell) : cell)
