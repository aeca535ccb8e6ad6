import { isObject, type Json, ownMember } from '../schemas/json.js'

export type TableData = { readonly columns: readonly string[]; readonly rows: readonly (readonly (Json | undefined)[])[] }

const mostColumns = 24

/** An array of objects as a table; undefined for other values. */
export function tableData(value: Json | undefined): TableData | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every((row) => isObject(row))) return undefined
  const columns = [...new Set(value.flatMap((row) => Object.keys(row)))]
  if (columns.length === 0 || columns.length > mostColumns) return undefined
  return { columns, rows: value.map((row) => columns.map((column) => ownMember(row, column))) }
}

/** The tables in a value: the value itself, or its members, by name. */
export function tablesIn(value: Json): readonly { readonly name: string; readonly table: TableData }[] {
  const whole = tableData(value)
  if (whole) return [{ name: '', table: whole }]
  const inside = isObject(value) ? Object.entries(value) : []
  return inside.flatMap(([name, member]) => {
    const table = tableData(member)
    return table ? [{ name, table }] : []
  })
}
