/** Where the bytes of images and documents come from. */

export interface APIBase64ImageSource {
  type: 'base64';
  media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';
  data: string;
}

export interface APIBase64PDFSource {
  type: 'base64';
  media_type: 'application/pdf';
  data: string;
}

export interface APIPlainTextSource {
  type: 'text';
  media_type: 'text/plain';
  data: string;
}

export interface APIURLSource {
  type: 'url';
  url: string;
}

/** A file of the Files API. */
export interface APIFileSource {
  type: 'file';
  file_id: string;
}
