import { objectText, quote } from '../json/build.ts'
import { arrayText, type JsonText } from '../json/json-text.ts'

/** What built-ins answer: names of members with their types; one with `?` may be missing. */
const SHAPES: Readonly<Record<string, string>> = {
  'configuration::get': 'id:string value:any',
  'configuration::list': 'configurations:array',
  'configuration::register': 'description:string id:string metadata?:any name:string schema?:any value?:any',
  'configuration::schema': 'description:string id:string metadata?:any name:string schema:any',
  'configuration::set': 'new_value:any old_value?:any',
  'engine::alerts::evaluate': 'evaluated:boolean timestamp:integer triggered_alerts?:array',
  'engine::alerts::list': 'alerts:array firing_count:integer rules?:array timestamp:integer',
  'engine::baggage::get': 'value?:string|null',
  'engine::baggage::get_all': 'baggage:object',
  'engine::baggage::set': 'note:string success:boolean',
  'engine::channels::create': 'reader:object writer:object',
  'engine::functions::info':
    'function_id?:string worker_name?:string description?:string request_schema?:any response_schema?:any metadata?:any registered_triggers?:array functions?:array',
  'engine::functions::list': 'functions:array',
  'engine::health::check': 'components:object status:string timestamp:integer version:string',
  'engine::logs::clear': 'success:boolean',
  'engine::logs::list': 'logs:array query?:object timestamp:integer total:integer',
  'engine::metrics::list': 'engine_metrics:object sdk_metrics:array timestamp:integer',
  'engine::register_trigger': 'id:string',
  'engine::registered-triggers::info':
    'config:any function?:object|null function_id:string id:string metadata?:any trigger?:object|null trigger_type:string worker_name:string',
  'engine::registered-triggers::list': 'registered_triggers:array',
  'engine::rollups::list': 'histogram_rollups:array level?:integer query?:object rollups:array timestamp:integer',
  'engine::sampling::rules': 'logs:object timestamp:integer traces:object',
  'engine::traces::clear': 'success:boolean',
  'engine::traces::group_by': 'groups:array',
  'engine::traces::list': 'limit:integer offset:integer spans:array total:integer',
  'engine::traces::tree': 'roots:array',
  'engine::triggers::info':
    'configuration_schema?:any description:string id:string instance_count:integer request_schema?:any response_schema?:any worker_name:string',
  'engine::triggers::list': 'triggers:array',
  'engine::unregister_trigger': 'removed:boolean',
  'engine::workers::info': 'functions:array registered_triggers:array trigger_types:array worker:object',
  'engine::workers::list': 'workers:array',
  'engine::workers::register': 'success:boolean',
  'iii::queue::discard_message': 'message_id:string queue:string redriven:integer',
  'iii::queue::redrive': 'queue:string redriven:integer',
  'iii::queue::redrive_message': 'message_id:string queue:string redriven:integer',
  'state::list_groups': 'groups:array',
  'state::update': 'errors?:array new_value:any old_value?:any',
}

/** The schema a built-in shows for its result; most that answer with any value, or none, show no schema. */
export function resultSchema(functionId: string): JsonText | undefined {
  const shape = SHAPES[functionId]
  return shape === undefined ? undefined : toObjectSchema(shape)
}

/** Writes an object's schema out of `name:type other?:string|null`. */
export function toObjectSchema(shape: string): JsonText {
  const members = shape.split(' ').map((member) => {
    const [name = '', types = 'any'] = member.split(':')
    return { name: name.replace('?', ''), required: !name.endsWith('?'), types: types.split('|') }
  })
  const required = members.flatMap(({ name, required: needed }) => (needed ? [quote(name)] : []))
  return objectText({
    $schema: quote('http://json-schema.org/draft-07/schema#'),
    type: '"object"',
    properties: objectText(Object.fromEntries(members.map(({ name, types }) => [name, toTypeSchema(types)]))),
    required: required.length > 0 ? arrayText(required) : undefined,
  })
}

function toTypeSchema(types: readonly string[]): JsonText {
  const [type = 'any'] = types
  if (type === 'any') return '{}'
  return objectText({ type: types.length > 1 ? arrayText(types.map(quote)) : quote(type) })
}
