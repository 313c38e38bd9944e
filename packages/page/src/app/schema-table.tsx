import { type FieldSchema, toFields } from './schema-fields.ts'

/** The fields of an object's schema, a row each. */
export function SchemaTable({ schema }: { schema: FieldSchema }) {
  const fields = toFields(schema)
  if (fields.length === 0) return null
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">field</th>
          <th scope="col">what</th>
          <th scope="col">about</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ name, hint, choices, isRequired, description }) => (
          <tr key={name}>
            <th scope="row">
              <bdi>{name}</bdi>
              {isRequired && <span class="needed"> needed</span>}
            </th>
            <td>{choices.length > 0 ? choices.map(({ label }) => label).join(' | ') : hint}</td>
            <td>
              <bdi>{description}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
