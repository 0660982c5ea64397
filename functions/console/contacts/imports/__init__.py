"""
Imports of contacts from CSV files.

    POST /contacts/imports            a form that uploads the file
    POST .../{import_id}/preview      columns with proposals, and what the first rows would do
    POST .../{import_id}/start        the whole file is read once, then the rows are imported by a job
    GET .../{import_id}, .../rows     how far it is, and what each row has done
"""
