"""Series: newsletters that are drafted on a calendar, up to the review, or up to the approval of an issue."""
