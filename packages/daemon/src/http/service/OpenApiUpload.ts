/**
 * How a file is sent, in the one form that every generator knows: of several they take the first, or make text of a file. The definition
 * says only that the body is a stream of any type.
 */

/** Of `POST /assets`; what else it takes is in the operation's description. */
export const UPLOAD = {
  required: true,
  content: {
    "application/octet-stream": {
      schema: { type: "string", format: "binary", description: "The file; its type is found from its bytes" }
    }
  }
}

export const FILE_NAME = {
  name: "Content-Disposition",
  in: "header",
  required: false,
  description: "What the file is called, such as `attachment; filename*=UTF-8''photo.jpg`; kept beside the asset",
  schema: { type: "string" }
}
