"""The sandbox's Richpanel, Shopify and ShipStation."""
