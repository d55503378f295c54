/**
 * Charts as plain data: data in, a scene of SVG nodes out, with its table and its sentence. It needs no Node module.
 *
 * @module
 */

export * from "@dosimeter/plot";
